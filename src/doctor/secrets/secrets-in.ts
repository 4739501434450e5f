// Secrets in plain text: private keys, well-known forms of tokens, and values under secret names. Only the place and
// the kind are reported, never the value.
import { isSecretName } from '../../data/mod.ts'

export interface FoundSecret {
  kind: string
  line: number
}

interface Ways {
  /** Whether values under secret names count, as in configuration and pillar. */
  isConfig?: boolean
}

const TOKENS: ReadonlyArray<[kind: string, form: RegExp]> = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/],
  ['an access key of AWS', /\bAKIA[0-9A-Z]{16}\b/],
  ['a token of GitHub', /\bgh[pousr]_[A-Za-z0-9]{36}\b/],
  ['a token of GitLab', /\bglpat-[A-Za-z0-9_-]{20}\b/],
  ['a token of Slack', /\bxox[abprs]-[0-9A-Za-z-]{10,}/],
  ['a token of Vault', /\bhvs\.[A-Za-z0-9_-]{24,}/],
  ['a URL with a password', /\b[a-z][a-z0-9+]{1,10}:\/\/[^\s:@/'"{}$<>]{1,64}:[^\s:@/'"{}$<>]{4,64}@[\w[]/],
]

/** A key with a plain value in the same line. */
const PAIR = /^\s*(?:- )?["']?([A-Za-z_][\w.-]*)["']?\s*:\s+(?:"([^"]*)"|'([^']*)'|([^\s#'"{[|>&*!][^#]*?))\s*(?:#.*)?$/

/** Values that refer to a secret, or are placeholders. */
const NO_SECRET =
  /^(?:true|false|null|none|yes|no|on|off|\d{1,5}|~|x+|\*+|\/.*|(?:salt|sdb|file|https?|env):\/\/.*|.*\.(?:pem|key|crt|pub|cer)|.*(?:change|example|secret|password|passw|token|todo|fixme|replace|your|dummy|placeholder|<|>).*)$/i
/** Names that look secret but contain other data. */
const NO_SECRET_NAME =
  /(?:^|_)(?:public|pub|host|foreign|primary|sort|gpg|enc|ssh|apt|repo|signing|authorized|known|key_?id|token_file|pass_?file|password_file|hash)|keyid|keyserver|_(?:url|uri|path|file|dir|name|id|type|size|length|ttl|age|expire\w*|policy|command|cmd|enabled|min|max)$|^(?:key|keys|tokens|passwords|secrets|private|privates?_key_?(?:file|path|bits|type))$|host_?key/i

const MOST_LINES = 50_000

export function secretsIn(text: string, { isConfig = false }: Ways = {}): FoundSecret[] {
  const found: FoundSecret[] = []
  // encrypted values are not in clear
  for (const [index, line] of text.split('\n', MOST_LINES).entries()) {
    if (line.length > 4096 || /^\s*#/.test(line)) continue
    const token = TOKENS.find(([, form]) => form.test(line))
    if (token && !line.includes('{{')) found.push({ kind: token[0], line: index + 1 })
    else if (isConfig) {
      const kind = pairKind(line)
      if (kind !== undefined) found.push({ kind, line: index + 1 })
    }
  }
  return found
}

function pairKind(line: string): string | undefined {
  const [, name = '', double, single, plain] = PAIR.exec(line) ?? []
  const value = double ?? single ?? plain
  if (value === undefined || value.length < 6 || !isSecretName(name) || NO_SECRET_NAME.test(name)) return undefined
  if (value.includes('{{') || value.includes('{%') || value.includes(' ') || NO_SECRET.test(value)) return undefined
  // hashes of passwords are another kind: not passwords, but not public either
  if (/^\$(?:1|2[aby]?|5|6|y|argon2\w*)\$/.test(value)) return undefined
  return `a value of '${name}'`
}
