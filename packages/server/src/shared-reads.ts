/**
 * Combines the questions that arrive during a read into the next read. There is no timer, so an idle reader reads at once. If a read fails,
 * the questions that wait for the next one fail too, because they would otherwise wait as long for the same error.
 * @param read returns the facts in the order of the questions
 */
export function shareReads<Question, Fact>(
  read: (questions: readonly Question[]) => Promise<readonly Fact[]>,
  mostQuestions: number,
): (question: Question) => Promise<Fact> {
  const waiting: Waiter<Question, Fact>[] = [];
  let isReading = false;

  async function readWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const asked = waiting.splice(0, mostQuestions);
      try {
        const facts = await read(asked.map(({ question }) => question));
        if (facts.length !== asked.length) throw new Error(`a read returned ${facts.length} of ${asked.length} facts`);
        for (const [index, { resolve }] of asked.entries()) resolve(facts[index] as Fact); // There are as many.
      } catch (error) {
        for (const { reject } of [...asked, ...waiting.splice(0)]) reject(error);
      }
    }
    isReading = false;
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (isReading) return;
      isReading = true;
      // Includes the questions that have arrived already, on any connection: each statement has a fixed cost.
      setImmediate(readWaiting);
    });
}

interface Waiter<Question, Fact> {
  readonly question: Question;
  readonly resolve: (fact: Fact) => void;
  readonly reject: (error: unknown) => void;
}
