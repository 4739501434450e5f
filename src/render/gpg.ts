// The `gpg` renderer: decrypts PGP messages in data with the system's gpg and the keys of `gpg_keydir`. Also used for
// `decrypt_pillar` and encrypted pillar overrides.
import { option } from '../config/mod.ts'
import { encodeText, isList, repr, str, textOrBytes, truthy, type Value } from '../data/mod.ts'
import { renderError } from './errors.ts'
import { findGpg, type GpgResult, removeStaleLocks, runGpg } from './gpg-process.ts'
import type { RenderContext, Renderer } from './renderer.ts'

export interface DecryptOptions {
  /** Take the two characters `\n` for a line break, as in messages that were put on one line. */
  translateNewlines?: boolean
}

type GpgContext = Pick<RenderContext, 'opts' | 'functions' | 'log'>

export const gpg: Renderer = {
  name: 'gpg',
  render: async (input, _args, ctx) => ({ value: await decrypt(input, ctx) }),
}

/** Dicts and lists are changed in place, so that their positions remain known. */
export async function decrypt(value: Value, ctx: GpgContext, options: DecryptOptions = {}): Promise<Value> {
  const program = await findGpg()
  if (program === undefined) throw renderError('GPG unavailable')
  const keydir = await keyDirectory(ctx)
  const messages = new Set<string>()
  walk(value, options, (text) => {
    for (const message of text.match(MESSAGE) ?? []) messages.add(message)
    return undefined
  })
  if (messages.size > 0) await removeStaleLocks(keydir)
  const answers = await decryptAll([...messages], ctx, (cipher) => runGpg(program, keydir, cipher))
  return walk(value, options, (text) => plainText(text, answers))
}

async function keyDirectory({ opts, functions }: GpgContext): Promise<string> {
  const configured = functions?.has('config.get') ? await functions.call('config.get', ['gpg_keydir'], new Map()) : null
  const keydir = truthy(configured) ? configured : (option(opts, 'gpg_keydir') ?? null)
  if (truthy(keydir)) return str(keydir)
  const conf = option(opts, 'conf_file')
  const directory = str(opts.get('config_dir') ?? conf.slice(0, Math.max(0, conf.lastIndexOf('/'))))
  return `${directory}/gpgkeys`
}

/** Bytes are searched as text with one character per byte. */
const MESSAGE = /-----BEGIN PGP MESSAGE-----.*?-----END PGP MESSAGE-----/gs

const asBytes = (value: string | Uint8Array): string =>
  Buffer.from(typeof value === 'string' ? encodeText(value) : value).toString('latin1')

/** Call `change` for every text and byte string under the value, and replace it by the result. */
function walk(value: Value, options: DecryptOptions, change: (text: string) => Value | undefined): Value {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    const bytes = asBytes(value)
    return change(options.translateNewlines ? bytes.replaceAll('\\n', '\n') : bytes) ?? value
  }
  if (value instanceof Map) for (const [key, item] of value) value.set(key, walk(item, options, change))
  else if (isList(value)) for (const [index, item] of value.entries()) value[index] = walk(item, options, change)
  return value
}

function plainText(text: string, answers: ReadonlyMap<string, string>): Value {
  let isCipher = false
  const replaced = text.replace(MESSAGE, (message) => {
    isCipher = true
    return answers.get(message)!
  })
  // a message written as a block of YAML leaves a line break behind it, decrypted or not
  return textOrBytes(new Uint8Array(Buffer.from(isCipher ? replaced.replace(/\n+$/, '') : replaced, 'latin1')))
}

/** Each message once, a few at a time. */
const AT_ONCE = 4

async function decryptAll(
  messages: readonly string[],
  ctx: GpgContext,
  run: (cipher: Buffer) => Promise<GpgResult>,
): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const waiting = [...messages]
  const worker = async (): Promise<void> => {
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      answers.set(message, await decryptOne(message, ctx, run))
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, messages.length) }, worker))
  return answers
}

interface Kept {
  text: string
  until: number
}

/** With `gpg_cache`, results are kept for `gpg_cache_ttl` seconds; only in memory, whatever the backend option says. */
const cache = new Map<string, Kept>()
const MOST_KEPT = 10_000

async function decryptOne(
  message: string,
  ctx: GpgContext,
  run: (cipher: Buffer) => Promise<GpgResult>,
): Promise<string> {
  const cipher = Buffer.from(message.replaceAll('\\n', '\n'), 'latin1')
  const caching = option(ctx.opts, 'gpg_cache')
  const kept = caching ? cache.get(message) : undefined
  if (kept && kept.until > Date.now()) return kept.text
  const { output, problem } = await run(cipher)
  if (output.length === 0) return notDecrypted(cipher, problem, ctx)
  const text = output.toString('latin1')
  if (caching) {
    if (cache.size >= MOST_KEPT) cache.clear()
    cache.set(message, { text, until: Date.now() + option(ctx.opts, 'gpg_cache_ttl') * 1000 })
  }
  return text
}

function notDecrypted(cipher: Buffer, problem: Buffer, { opts, log }: GpgContext): string {
  const text = `Could not decrypt cipher ${repr(new Uint8Array(cipher))}, received: ${repr(new Uint8Array(problem))}`
  log?.('warning', text)
  if (option(opts, 'gpg_decrypt_must_succeed')) {
    const words = problem
      .toString()
      .replace(/^\[GNUPG:\].*\n?/gm, '')
      .trim()
    throw renderError(text, { reason: `Could not decrypt a PGP message: ${words}` })
  }
  return cipher.toString('latin1')
}
