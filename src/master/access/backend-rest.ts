// `rest`: a web service checks names and passwords, and may return an access list for the user.
import { toError } from '../../base/mod.ts'
import { briefStr, isList, loadJson, textOf, type Value } from '../../data/mod.ts'
import type { AuthBackend, AuthContext } from './auth-backend.ts'

const SECONDS = 15

/** The list that the service gave at each user's last login; undefined when it gave none. */
const lists = new Map<string, Value[] | undefined>()

/** Bytes of an answer: more than an access list has. */
const MOST_BYTES = 4 << 20

async function textOfAnswer(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.body ?? []) {
    size += piece.length
    if (size > MOST_BYTES) throw new Error(`the answer is longer than ${MOST_BYTES} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

async function ask(url: string, username: string, password: string): Promise<Value | undefined> {
  const body = new URLSearchParams({ username, password })
  const answer = await fetch(url, {
    method: 'POST',
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(SECONDS * 1000),
  })
  if (answer.status !== 200) return undefined
  const text = await textOfAnswer(answer)
  return /^\s*[[{]/.test(text) ? loadJson(text) : null
}

async function check(username: string, password: string, { config, log }: AuthContext): Promise<boolean> {
  const url = textOf(config.get('^url') ?? null)
  if (!url) {
    log('error', 'The rest system of external_auth needs ^url')
    return false
  }
  try {
    const answer = await ask(url, username, password)
    // a failed login must not change the stored list of the user
    if (answer === undefined) return false
    lists.set(username, isList(answer) ? [...answer] : undefined)
    return true
  } catch (error) {
    log('error', `The service ${url} could not judge a login: ${toError(error).message}`)
    return false
  }
}

const rest: AuthBackend = {
  name: (credentials) => briefStr(credentials.get('username') ?? ''),
  check: (credentials, ctx) =>
    check(briefStr(credentials.get('username') ?? ''), briefStr(credentials.get('password') ?? ''), ctx),
  // a token outlives the process that heard the list: without it the user has no rights until the next login
  list: (user) => (lists.has(user) ? lists.get(user) : []),
}

export default rest
