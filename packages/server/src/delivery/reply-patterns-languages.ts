import type { WordFinding } from './word-finding.ts';

// German, French, Spanish, Portuguese, Italian, Dutch, Polish, Czech, the Nordic languages and Turkish, without their accents.
const WHO =
  '(?:benutzer\\w{0,4}|empf(?:ae?|)nger\\w{0,10}|postfach|adressat|teilnehmer|konto|' +
  'utilisateur|destinataires?|boite(?: aux lettres)?|compte|usager|abonne|' +
  'usuarios?|destinatarios?|buzon|casilla|cuenta|direccion|endereco|caixa(?: postal| de correio)?|conta|utilizador|' +
  'utente|casella|indirizzo|' +
  'gebruiker|ontvanger|geadresseerde|postbus|(?:email)?adres|' +
  'uzytkownik\\w{0,3}|adresat\\w{0,3}|odbiorc\\w{1,3}|skrzynk\\w{1,3}|kont[ao]|' +
  'uzivatel\\w{0,3}|prijemce|schrank\\w{1,3}|adresa|' +
  'anvandare\\w{0,2}|mottagare\\w{0,2}|brevlada\\w{0,2}|bruger\\w{0,2}|bruker\\w{0,2}|modtager\\w{0,2}|mottaker\\w{0,2}|postkasse\\w{0,2}|' +
  'kullanici|alici|posta kutusu|adresse?|mailbox|account|user|recipient)';
const IS_NOT =
  '(?:unbekannt\\w{0,2}|nicht (?:gefunden|bekannt|vorhanden|registriert|gultig|gueltig|existent|eingerichtet|mehr)|existiert nicht|ungu?e?ltig|' +
  "inconnue?s?|inexistante?s?|introuvable|invalides?|n'existe (?:pas|plus)|n'est (?:pas|plus) valide|non valide|desactivee?s?|fermee?|supprimee?|" +
  'desconocid[oa]s?|desconhecid[oa]s?|inexistentes?|no existe|nao existe|no es valid[oa]|no encontrad[oa]|nao encontrad[oa]|invalid[oa]s?|' +
  'deshabilitad[oa]|desabilitad[oa]|desativad[oa]|desactivad[oa]|inactiv[oa]|inativ[oa]|cancelad[oa]|eliminad[oa]|encerrad[oa]|' +
  'sconosciut[oai]|inesistente|non esiste|non (?:e )?valid[oa]|non trovat[oa]|disattivat[oa]|disabilitat[oa]|chius[oa]|cessat[oa]|errat[oa]|' +
  'onbekend|niet gevonden|bestaat niet|niet (?:bekend|geldig)|ongeldig|opgeheven|gedeactiveerd|' +
  'nieznan\\w{1,3}|nie istnieje|nie znaleziono|nieprawidlow\\w{1,3}|nieaktywn\\w{1,3}|usuniet\\w{1,3}|' +
  'neexistuje|neznam\\w{1,3}|nenalezen\\w{0,2}|neplatn\\w{1,3}|zrusen\\w{0,2}|' +
  'okand|finns inte|ukendt|ukjent|findes ikke|finnes ikke|eksisterer ikke|bulunamadi|mevcut degil|gecersiz|deaktiviert|geloscht|geschlossen)';

// Scripts without lowercase letters, and Cyrillic, which \b and \w do not support.
const FAR_WHO =
  '(?:пользовател|получател|адресат|адрес|ящик|аккаунт|користувач|одержувач|скриньк|' +
  'ユーザ|宛先|受信者|アドレス|アカウント|メールボックス|用户|用戶|收件人|收件者|邮箱|郵箱|信箱|帐号|帐户|帳戶|账号|帳號|账户|地址|使用者|사용자|수신자|수신인|메일함|편지함|계정|주소|회원)';
const FAR_NOT =
  '(?:не найден|не существу|неизвест|не зарегистрирован|недействител|отключен|удален|не знайдено|не існує|' +
  '存在しま?せん|存在しない|見つかりません|不明|無効|登録されていません|' +
  '不存在|未找到|找不到|无效|無效|(?<!て)いません|不正确|不正確|未知|已停用|已注销|已註銷|已禁用|被禁用|존재하지|없습니다|없는|찾을 수 없|휴면|탈퇴)';

/**
 * The patterns for languages other than English, as far as servers use them. They run after the English patterns for
 * blocking, in the same order as REPLY_PATTERNS.
 */
export const FOREIGN_PATTERNS: readonly (readonly [RegExp, WordFinding])[] = [
  // Blocking.
  [
    /\b(liste noire|lista negra|lista nera|schwarzen? liste|zwarte lijst|czarn\w{1,3} list\w{1,3}|sperrliste|courrier indesirable|pourriel|correo no deseado|posta indesiderata|unerwunscht\w{0,2})\b|доступ запрещ|отказано|черн\S{1,3} спис|спам|迷惑メール|スパム|受信拒否|拒否され|垃圾邮件|垃圾郵件|黑名单|黑名單|拒收|被拒绝|스팸|차단|수신 ?거부/,
    'block',
  ],
  [
    /\b(acces refuse|acceso denegado|acesso negado|accesso negato|zugriff verweigert|toegang geweigerd|odmowa dostepu|non autorise|no autorizad[oa]|nao autorizad[oa]|non autorizzat[oa]|nicht (berechtigt|erlaubt|zugelassen)|adresse ip .{0,20}bloquee|ip bloque?ad[oa]|authentification (requise|necessaire)|code d'authentification invalide)\b/,
    'block',
  ],
  // Temporary failures, or no space.
  [
    /\b(essayer (plus tard|ulterieurement)|reessayer|intent\w{1,4}( de nuevo)? mas tarde|rechazo temporal|tente (novamente )?mais tarde|riprova\w{0,2} piu tardi|spater (noch ?mal|erneut|wieder)|spaeter|probeer het (later|opnieuw)|sprobuj pozniej|pozniej|temporair\w{0,6}|temporal(mente)?|temporane\w{1,6}|vorubergehend|tijdelijk|tymczasow\w{1,3})\b|попробуйте|повторите|позже|しばらく|後ほど|稍后|稍後|나중에|잠시 후/,
    'patience',
  ],
  [
    /\b(postfach .{0,20}voll|uberfullt|speicherplatz|speichervolumen|boite .{0,60}(pleine|saturee)|quota depasse|espace .{0,20}insuffisant|(buzon|casilla|cuenta) .{0,40}llen[oa]|cuota .{0,20}(excedida|superada)|sin espacio|caixa .{0,20}cheia|cota .{0,20}excedida|casella .{0,20}piena|quota superata|spazio esaurito|(mailbox|postbus) .{0,30}voll?|skrzynk\w{1,3} .{0,20}(pelna|przepelnion\w{1,2}|zapelnion\w{1,2})|przekroczon\w{1,2}|schrank\w{1,3} .{0,20}pln\w|prekrocen\w{0,2}|dolu)\b|переполнен|ящик.{0,20}полон|квот|容量|いっぱい|満杯|已满|已滿|空间不足|空間不足|超过.{0,10}限制|용량|가득/,
    'patience',
  ],
  [
    /\b(compte|konto|cuenta|conta|account|utente|casella|boite|destinataire)\b.{0,40}\b(bloque\w{0,2}|gesperrt|bloccat[oa]|geblokkeerd|zablokowan\w{1,2}|suspendid[oa]|suspendue?|sospes[oa]|bloquead[oa])\b|заблокирован|приостановлен|停止|冻结|凍結|정지/,
    'soft',
  ],
  // "Does not exist" may be about the sender.
  [
    /\b(absender\w{0,10}|expediteur|emetteur|remitente|remetente|mittente|afzender\w{0,6}|nadawc\w{1,3}|odesilatel\w{0,3}|avsandar\w{1,4}|afsender\w{0,3}|avsender\w{0,3}|gonderen)\b|\b(ihre?|deine?|votre|su|seu|sua|suo|uw|twoj|vas[ae]?) (email)?[ -]?(adress\w{0,2}|adres\w?|direccion|endereco|indirizzo|domain\w{0,3}|domeny?|dominio|cuenta|conta|konto|compte|account)\b|отправител|відправник|ваш\S{0,3} (адрес|домен|ящик|аккаунт)|发件|發件|寄件|发送者|您的|差出人|送信者|送信元|あなたの|보낸|보내는|발신|송신/,
    'unknown',
  ],
  // Recipients that do not exist.
  [
    new RegExp(
      `\\b${WHO}(?:[ :,-]{1,3}[^\\s]{1,255}){0,5}?[ :,-]{1,3}(?:ist |est |es |e |jest |is |esta ){0,1}${IS_NOT}`,
    ),
    'absent',
  ],
  [
    new RegExp(
      `\\b(?:(?:unbekannter|ungultiger|keine?n?)(?: solche[rn]?)?|unknown|aucune?|inconnu|desconocido|nessun|nessuna|onbekende|geen|nieznany|brak|nie ma(?: takiego| takiej)?|no existe (?:el|la|ese|esa|dich[oa]|este|esta)|nao existe (?:o|a|este|esta|esse)) ${WHO}`,
    ),
    'absent',
  ],
  [new RegExp(`${FAR_WHO}.{0,60}?${FAR_NOT}`), 'absent'],
  [
    /(пользовател|адрес|ящик|получател)\S{0,3} нет(?![а-я])|нет такого|неизвестн\S{1,3} (пользоват|получат|адрес)|(没有|沒有|查无|查無|无此|無此).{0,6}(用户|用戶|收件人|收件者|邮箱|信箱|人)|(존재하지 않는|없는).{0,20}(사용자|수신|주소|계정|메일)/,
    'absent',
  ],
];
