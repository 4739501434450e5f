// The logged-in user and their rights.
import { computed, signal } from '@preact/signals'
import { type Data, endSession, Problem, post, read, whenLoggedOut } from './api/client.ts'
import { stream } from './live/stream.ts'

export type Session = Data<'/v1/session'>

/** `undefined` until the server has reported whether there is a session. */
export const session = signal<Session | null | undefined>(undefined)

/** Why the server cannot say it. */
export const sessionProblem = signal<Problem | undefined>(undefined)

/** When the session ends, in milliseconds since 1970, once that is soon. */
export const sessionEnd = signal<number | undefined>(undefined)

/** How long before the end of the session the user is warned, in milliseconds. */
const SOON_MS = 600_000

/** The longest time that a timer of a browser can wait for. */
const LONGEST_MS = 2 ** 31 - 1

let endTimer: number | undefined

/** Warn before a session ends. */
function mindEnd(expires: string): void {
  clearTimeout(endTimer)
  sessionEnd.value = undefined
  const end = Date.parse(expires)
  const wait = end - SOON_MS - Date.now()
  if (Number.isNaN(end)) return
  if (wait <= 0) sessionEnd.value = end
  else endTimer = window.setTimeout(() => mindEnd(expires), Math.min(wait, LONGEST_MS))
}

whenLoggedOut(() => {
  stream.close()
  if (session.peek()) session.value = null
})

const RETRY_MS = 3000

/** Read the session and start the event stream. An unreachable server is retried. */
export async function begin(): Promise<void> {
  try {
    const { data, number } = await read('/v1/session')
    session.value = data
    sessionProblem.value = undefined
    mindEnd(data.expires)
    stream.open(number)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    sessionProblem.value = error.status === 401 ? undefined : error
    if (error.status === 401) session.value = null
    if (error.isPassing) setTimeout(() => sessionProblem.peek() === error && void begin(), RETRY_MS)
  }
}

export async function logIn(username: string, password: string, eauth: string): Promise<void> {
  await post('/v1/login', { body: { username, password, eauth } })
  await begin()
}

export async function logOut(): Promise<void> {
  stream.close()
  await endSession()
  session.value = null
}

type Family = 'runner' | 'wheel'

/** Whether the access list has any entry for functions of the master. */
const familyRights = computed(() => {
  const rights = session.value?.permissions ?? []
  const of = (family: Family): readonly unknown[] =>
    rights.flatMap((entry): unknown[] => {
      if (entry === `@${family}`) return ['.*']
      if (typeof entry !== 'object' || entry === null) return []
      const listed = (entry as Record<string, unknown>)[`@${family}`]
      return Array.isArray(listed) ? listed : []
    })
  return { runner: of('runner'), wheel: of('wheel') }
})

/** Throw the refusal of the server when the access list does not seem to allow a function of the master. Saves the request. */
export function expectAllowed(family: Family, fun: string): void {
  if (!seemsAllowed(family, fun)) throw new Problem(403, `This needs the right to call the ${family} function ${fun}`)
}

/**
 * Whether the access list seems to allow a function of the master. The server authorises each request; this only hides
 * buttons that would be refused.
 */
export function seemsAllowed(family: Family, fun: string): boolean {
  return familyRights.value[family].some((entry) => {
    const pattern = typeof entry === 'object' && entry !== null ? Object.keys(entry)[0] : String(entry)
    try {
      return new RegExp(`^(?:${pattern})$`).test(fun)
    } catch {
      // a pattern that only Python reads: the server will judge
      return true
    }
  })
}
