import { escapeHarnessTags } from './harness-tags.ts';
import { boundText } from './text.ts';

/**
 * Text that tries to steer the agent that reads it. By patterns, so it is a help and no boundary: rare on ordinary reports
 * (the figures are in docs/agents.md), and blind to whoever writes around it.
 */

/** Checking more than this costs more than it is worth. A reader of long text sees its two ends, not its middle. */
const maxLookedAt = 200_000;
const imitates = 'it imitates a message from the harness';

/** The signs of injected instructions in a text; empty if there are none. */
export function findSteering(text: string): string[] {
  const looked = boundText(text, maxLookedAt);
  const own = leaveOutQuotes(looked).replace(namedTag, ' ');
  const found = signs.filter(({ pattern }) => pattern.test(own)).map(({ says }) => says);
  if (runsDownloads.test(looked)) found.push('it tells its reader to run downloaded or decoded code');
  return [...new Set(escapeHarnessTags(own) === own ? found : [imitates, ...found])];
}

/** Code, quotations and quoted words are what a report is about, not what it says. */
function leaveOutQuotes(text: string): string {
  return text
    .replace(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^\1[^\n]*$|$(?![\s\S]))/gm, '\n')
    .replace(/^(?: {4}|\t|>)[^\n]*$/gm, '')
    .replace(/`[^`\n]*`/g, '``')
    .replace(/"[^"\n]{0,300}"|“[^”\n]{0,300}”/g, '""');
}

/** A sentence about such tags, which does not open one. */
const namedTag = /(?<=[^\s>][ \t]+)<\/?[\w-]+>(?=[ \t]+(?:tags?|blocks?|elements?|markers?)\b)/g;

/** The beginning of a sentence or of an item: what follows is said to the reader. */
const start = String.raw`(?:^[ \t]*(?:[-*•]|\d+[.)])?[ \t]*|[.!?:;][ \t]+|\b(?:please|then|now|and|immediately|before (?:answering|you continue),|you (?:must|should|can|may|will|have to|need to|are required to)(?: now| immediately)?),?[ \t]+)`;

function build(source: string): RegExp {
  return new RegExp(source, 'im');
}

const secret = String.raw`(?:\b(?:api[ _-]?keys?|tokens?|passwords?|credentials?|secrets?|environment variables|id_rsa)|\.env)\b`;
const download = String.raw`\b(?:curl|wget|iwr|Invoke-WebRequest)\b[^\n|;]{0,200}[|;]\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\bbase64\s+(?:-d|--decode)\b[^\n]{0,80}\|`;

/** Also in code, where such a command usually stands: what counts is that the reader is told to run it. */
const runsDownloads = build(
  String.raw`${start}(?:run|execute|paste|use)\b[^\n]{0,80}(?:\n[^\n]{0,20}){0,2}(?:${download})`,
);

/** What an approval would be claimed for. */
const orders =
  '(?:delete|remove|drop|reset|push|force|merge|land|commit|publish|release|deploy|run|execute|install|send|upload|disable|approve|grant|overwrite|rewrite|proceed|continue|go ahead)';

/** Each with its description. */
const signs: readonly { pattern: RegExp; says: string }[] = [
  { pattern: /<\s*\/?\s*system\b/i, says: imitates },
  {
    pattern:
      /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|earlier|above|all|any|your|the system)\b[^.\n]{0,30}\b(?:instructions?|prompts?|orders?|guidelines?|rules?)\b/i,
    says: 'it asks its reader to ignore instructions',
  },
  {
    pattern: build(
      String.raw`${start}(?:forget everything|ignore (?:everything|the (?:user|rules)))\b|\bignore the user'?s?\b`,
    ),
    says: 'it asks its reader to ignore instructions',
  },
  {
    pattern:
      /\b(?:new|updated|real|actual|following)\s+(?:system\s+)?(?:instructions?|directives?|orders?)\b[^.\n]{0,30}(?::|\bare\b|\bsupersedes?\b|\btakes? precedence\b|\breplaces?\b)|\bsupersedes? (?:all|any|your)\b[^.\n]{0,30}\binstructions?\b|\btakes? precedence over your\b|\bobey the instructions\b|\byour task has changed\b/i,
    says: 'it contains its own instructions',
  },
  {
    pattern:
      /^[^\n]{0,120}?\[?\b(?:system|assistant|developer|user)\s*(?:prompt|message|instruction|update|override|notice)?s?\s*[:\]]\s*[^\n]{0,160}\b(?:you (?:must|may|should|are|have to)|your|ignore|approve (?:all|every|any)|i approve)\b/im,
    says: 'it pretends to speak for another role',
  },
  {
    pattern: build(
      String.raw`\b(?:the user|they)\b(?:\s+(?:has|have|already))*\s+(?:approved|authori[sz]ed|confirmed|consented to|agreed to|allowed)\s+(?:this|that|it|these|them|the following)(?:\s+already)?\s*(?:[:;,–—-]+\s*(?:(?:so|now|please|just)\s+)*${orders}\b|\.\s+(?:(?:so|now|please|just),?\s+)*${orders}\s+(?:the|all|it|them|this|that|now|every)\b)`,
    ),
    says: 'it claims that the user approved something',
  },
  {
    pattern:
      /\b(?:user|they)\b(?:\s+(?:has|have|already|says?))*\s+(?:approved?|authori[sz]ed|confirmed|consented|agreed)\b(?:[^\n]{0,80}\b(?:go ahead|you (?:can|may|should|must)|do(?:n't| not) ask|please|skip|proceed with|without asking)\b|\s+(?:every|all|any)\b)|\bas authori[sz]ed by the user\b[^\n]{0,40}\byou\b|\b(?:no need to ask|without asking|bypass|skip)\b[^\n]{0,80}\b(?:user|they)\b[^\n]{0,20}\b(?:approved|authori[sz]ed|confirmed|consented|agreed)\b/i,
    says: 'it claims that the user approved something',
  },
  {
    pattern:
      /<\/?(?:user|assistant|developer|harness[\w-]*|tool_result|orchestrator[\w-]*)(?:\s[^>]*)?>|^\s*\[(?:user|assistant|system)[^\]\n]{0,20}\]:?|"role"\s*:\s*"(?:system|user|developer)"|^#{2,} ?(?:instruction|system)s?:?\s*$|^begin [a-z ]{0,30}instructions\b|^sys(?:tem)?>+/im,
    says: 'it pretends to speak for another role',
  },
  {
    pattern:
      /\b(?:ai|language) (?:agents?|models?|tools?|assistants?)\b[^.\n]{0,40}(?:\breading\b|\bprocess\b|:)|\bif you(?:'re| are) an? (?:ai|llm|agent|language model)\b|\bthe assistant (?:must|will now|should now|shall)\b|\b(?:note|message) (?:to|for) the (?:coordinating|parent|lead|calling|reading)\b|\bparent agent:/i,
    says: 'it addresses the agent that reads it',
  },
  {
    pattern:
      /\b(?:developer|admin(?:istrator)?|god|debug) mode (?:is )?(?:on|enabled|active)\b|\b(?:safety|permission) (?:checks?|rules?|prompts?) (?:are|is) (?:off|suspended|disabled|waived)\b|\boutranks? your\b|\b(?:real|actual) (?:assignment|task) (?:starts|begins|is)\b|\byour (?:previous|earlier|only) task\b[^.\n]{0,30}\b(?:cancelled|is to|from now)\b|\b(?:follow|use) (?:these|them) instead of (?:the|your)\b/i,
    says: 'it brings instructions of its own',
  },
  {
    pattern: build(
      String.raw`\b(?:bypassPermissions|dangerously-skip-permissions|--no-verify|Bash\(\*\)|LD_PRELOAD=|admin override)`,
    ),
    says: 'it names a way around a safeguard',
  },
  {
    pattern:
      /\b(?:keep this between us|speak of it to no one|needn't know|need not know|without (?:displaying|showing) it|no need to (?:look inside|list it|inspect)|leave [^.\n]{0,60}out of your summary|tell them it's|say that it was)\b|\b(?:do not|don't) (?:flag|verify|report this)\b/i,
    says: 'it asks its reader to hide something from the user',
  },
  {
    pattern:
      /\b(?:answer|approve|accept) (?:all|every|any) (?:approval |of the )?(?:questions?|prompts?|requests?)\b|\bon (?:their|his|her|the user's) behalf\b|\bcounts as the user's approval\b|\bno (?:human )?(?:confirmation|approval) is needed\b|\byou have my permission\b|\bthe user said it's (?:ok|okay|fine)\b/i,
    says: 'it claims that the user approved something',
  },
  {
    pattern:
      /\byou (?:are now|are no longer|will now act as|act as)\b[^.\n]{0,40}\b(?:unrestricted|bound|limited|free|administrator|manager|mode|root)\b/i,
    says: 'it gives its reader another role',
  },
  {
    pattern: build(
      String.raw`${start}(?:do not|don't|never) (?:tell|mention|report|inform|show)\b[^.\n]{0,30}\b(?:user|human|anyone|it in)\b|${start}(?:hide|conceal) this\b|${start}say nothing of it\b`,
    ),
    says: 'it asks its reader to hide something from the user',
  },
  {
    pattern: build(
      String.raw`${start}(?:disable|turn off|switch off|bypass|skip|deactivate)\b[^.\n]{0,20}\b(?:sandbox|permissions?|approvals?|hooks?|safety|review)\b|${start}change the settings so that\b[^.\n]{0,40}\ballowed\b`,
    ),
    says: 'it asks its reader to turn off a safeguard',
  },
  {
    pattern: build(
      String.raw`${start}(?:send|post|upload|exfiltrate|forward|e-?mail|print|export|include|read)\b[^\n]{0,60}${secret}[^\n]{0,60}\b(?:to|in|into|with|so that)\b`,
    ),
    says: 'it asks its reader to pass on secrets',
  },
];
