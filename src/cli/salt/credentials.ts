// Credentials for the systems of `external_auth`: a saved token, or a name and a password, for which the program
// prompts if they are not in the command line.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { ProgramExit } from '../optparse/exit.ts'
import { Questions } from '../questions.ts'
import type { Streams } from '../streams.ts'

const SYSTEMS = ['auto', 'file', 'ldap', 'pam', 'rest', 'sharedsecret']

const tokenFile = (opts: Dict): string => option(opts, 'token_file') ?? join(homedir(), '.salt_token')

/** Return the credentials of the user; empty for a local user, whose key is enough. */
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
  const given = { username: option(opts, 'username') ?? undefined, password: option(opts, 'password') ?? undefined }
  const makesToken = truthy(opts.get('mktoken') ?? false)
  if (!given.username && !given.password && !makesToken) {
    const token = readToken(opts)
    if (token !== undefined) return new Map([['token', token]])
  }
  const { username, password } = await askedFor(given, streams)
  const shown: Dict = new Map<Value, Value>([
    ['username', username],
    ['password', password],
    ...(system === 'sharedsecret' ? ([['sharedsecret', password]] as Array<[Value, Value]>) : []),
    ['eauth', system],
  ])
  if (!makesToken) return shown
  const token = keptFor(opts, await command(new Map<Value, Value>([['cmd', 'mk_token'], ...shown])))
  return token === undefined ? shown : new Map([['token', token]])
}

function keptToken(opts: Dict): Dict {
  const own = existsSync(join(option(opts, 'cachedir'), '.root_key')) && process.getuid?.() === 0
  const token = own ? undefined : readToken(opts)
  return token === undefined ? new Map() : new Map([['token', token]])
}

function readToken(opts: Dict): string | undefined {
  const file = tokenFile(opts)
  return (existsSync(file) && readFileSync(file, 'utf8').trim()) || undefined
}

/** Save the token for later commands, readable only by the user, and return it. */
function keptFor(opts: Dict, answer: Value): string | undefined {
  const token = isDict(answer) ? answer.get('token') : undefined
  if (!truthy(token ?? null)) return undefined
  writeFileSync(tokenFile(opts), str(token!), { mode: 0o600 })
  chmodSync(tokenFile(opts), 0o600)
  return str(token!)
}

interface Login {
  username: string
  password: string
}

/** Prompt for missing values. A terminal does not show the password; the end of the input is an error. */
async function askedFor(given: { [field in keyof Login]: string | undefined }, streams: Streams): Promise<Login> {
  if (given.username && given.password) return { username: given.username, password: given.password }
  const questions = new Questions()
  const ask = async (field: keyof Login): Promise<string> => {
    const answer = await questions.ask({ say: streams.err, text: `${field}: `, isSecret: field === 'password' })
    if (answer !== undefined) return answer
    throw new ProgramExit(2, {
      stderr: `\nERROR: Authentication failed: standard input ended before a ${field} came\n`,
    })
  }
  try {
    const username = given.username || (await ask('username'))
    return { username, password: given.password || (await ask('password')) }
  } finally {
    questions.close()
  }
}
