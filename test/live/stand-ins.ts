// Placeholders for varying values in the text of a recording.
import { hostname } from 'node:os'

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'

const VARYING: ReadonlyArray<readonly [RegExp, string]> = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?/g, '<STAMP>'],
  [new RegExp(`\\d{4}, (?:${MONTHS}) \\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d+`, 'g'), '<START_TIME>'],
  [/("start_time\\?": ?\\?"|Started: +)\d\d:\d\d:\d\d\.\d+/g, '$1<TIME>'],
  [/(Total run time: +)[\d.]+ +m?s/g, '$1<MS>'],
  [/(Duration: |\\"duration\\": )[\d.]+/g, '$1<MS>'],
  [/("duration": ?)[\d.]+/g, '$1"<MS>"'],
  [/('duration': )[\d.]+/g, '$1<MS>'],
  [/('?start_time'?: ')[\d:.]+/g, '$1<TIME>'],
  [/\b(duration: )[\d.]+/g, '$1<MS>'],
  [/(: ?)1\d{9}\.\d+/g, '$1"<EPOCH>"'],
  [/("ts": ?)\d+/g, '$1"<EPOCH>"'],
  [/(\\"ts\\": )\d+/g, '$1<EPOCH>'],
  [/("(?:__pub_)?pid": ?)\d+/g, '$1"<PID>"'],
  [/(__pub_pid: )\d+/g, '$1<PID>'],
  [/-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----(?:\\n)?/g, '<PUBKEY>'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----(?:\\n)?/g, '<PRIVKEY>'],
  [/\b[\w+/]{75}=/g, '<ROOTKEY>'],
  [/((?:[Tt]oken|session_id)(?:\\?": ?\\?"|=|: ))[0-9a-f]{40,64}\b/g, '$1<TOKEN>'],
  [/\w{3}, \d\d[ -]\w{3}[ -]\d{4} \d\d:\d\d:\d\d GMT/g, '<HTTPDATE>'],
  [/(?:[0-9a-f]{2}:){15,}[0-9a-f]{2}/g, '<FINGER>'],
]

/** Remove Salt's own parts: frames of its code, its documentation and its options. */
export function shortened(text: string): string {
  return text
    .replace(/^( *)File ".*\n(?:\1 .*\n|\1File ".*\n)*/gm, '$1<FRAMES>\n')
    .replace(/^( *)(.*Passed invalid arguments.*\n)[\s\S]*?(\n?)$(?![\s\S])/m, '$1$2$1<DOCSTRING>$3')
    .replace(/^Usage: [\s\S]*/, '<USAGE>\n')
}

export function withPlaceholders(text: string, { root, apiPort }: { root: string; apiPort: number }): string {
  const jids = new Map<string, string>()
  let replaced = text.replaceAll(root, '<ROOT>').replaceAll(hostname(), '<HOST>')
  replaced = replaced.replaceAll(`127.0.0.1:${apiPort}`, '127.0.0.1:<API_PORT>')
  replaced = replaced.replace(/\b20\d{18}\b/g, (jid) => {
    if (!jids.has(jid)) jids.set(jid, `<JID${jids.size + 1}>`)
    return jids.get(jid)!
  })
  for (const [pattern, placeholder] of VARYING) replaced = replaced.replace(pattern, placeholder)
  return replaced
}
