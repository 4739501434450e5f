// Who somebody is to the systems of `external_auth`: a token that was kept, or a name and a password, which are asked for
// when they were not given.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type Dict, isDict, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { ProgramExit } from '../optparse/exit.ts'
import type { Streams } from '../streams.ts'

const SYSTEMS = ['auto', 'file', 'ldap', 'pam', 'rest', 'sharedsecret']

const tokenFile = (opts: Dict): string => textOf(opts.get('token_file') ?? null) ?? join(homedir(), '.salt_token')

/** What shows who asks; empty for a local user, whom the key shows. */
export async function credentials(
  opts: Dict,
  streams: Streams,
  command: (load: Dict) => Promise<Value>,
): Promise<Dict> {
  const system = textOf(opts.get('eauth') ?? null) ?? ''
  if (system === '') return keptToken(opts)
  if (!SYSTEMS.includes(system)) {
    const text = `The specified external authentication system "${system}" is not available\nAvailable eauth types: ${SYSTEMS.join(', ')}\n`
    throw new ProgramExit(2, { stdout: text, stderr: 'ERROR: Authentication failed\n' })
  }
  const username = textOf(opts.get('username') ?? null) || (await ask('username: ', streams))
  const password = textOf(opts.get('password') ?? null) || (await ask('password: ', streams))
  const shown: Dict = new Map<Value, Value>([
    ['username', username],
    ['password', password],
    ...(system === 'sharedsecret' ? ([['sharedsecret', password]] as Array<[Value, Value]>) : []),
    ['eauth', system],
  ])
  if (!truthy(opts.get('mktoken') ?? false)) return shown
  const token = keptFor(opts, await command(new Map<Value, Value>([['cmd', 'mk_token'], ...shown])))
  return token === undefined ? shown : new Map([['token', token]])
}

function keptToken(opts: Dict): Dict {
  const own = existsSync(join(str(opts.get('cachedir') ?? ''), '.root_key')) && process.getuid?.() === 0
  const file = tokenFile(opts)
  if (own || !existsSync(file)) return new Map()
  const token = readFileSync(file, 'utf8').trim()
  return token === '' ? new Map() : new Map([['token', token]])
}

/** The token, kept for later commands; nobody else may read it. */
function keptFor(opts: Dict, answer: Value): string | undefined {
  const token = isDict(answer) ? answer.get('token') : undefined
  if (!truthy(token ?? null)) return undefined
  writeFileSync(tokenFile(opts), str(token!), { mode: 0o600 })
  chmodSync(tokenFile(opts), 0o600)
  return str(token!)
}

async function ask(prompt: string, streams: Streams): Promise<string> {
  const reader = createInterface({ input: process.stdin })
  try {
    streams.err(prompt)
    const [line] = await Promise.race([
      new Promise<[string]>((done) => reader.once('line', (text) => done([text]))),
      new Promise<[string]>((done) => reader.once('close', () => done(['']))),
    ])
    return line
  } finally {
    reader.close()
  }
}
