// `rest`: a web service judges names and passwords, and may answer with an access list of its own for the user.
import { toError } from '../../base/mod.ts'
import { isList, loadJson, str, textOf, type Value } from '../../data/mod.ts'
import type { AuthBackend, AuthContext } from './backends.ts'

const SECONDS = 15

/** What the service said at a user's last login. */
const lists = new Map<string, Value[]>()

async function ask(url: string, username: string, password: string): Promise<Value | undefined> {
  const body = new URLSearchParams({ username, password })
  const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(SECONDS * 1000) })
  if (answer.status !== 200) return undefined
  const text = await answer.text()
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
    if (answer !== undefined && isList(answer)) lists.set(username, [...answer])
    else lists.delete(username)
    return answer !== undefined
  } catch (error) {
    log('error', `The service ${url} could not judge a login: ${toError(error).message}`)
    return false
  }
}

const rest: AuthBackend = {
  name: (credentials) => str(credentials.get('username') ?? ''),
  check: (credentials, ctx) =>
    check(str(credentials.get('username') ?? ''), str(credentials.get('password') ?? ''), ctx),
  list: (user) => lists.get(user),
}

export default rest
