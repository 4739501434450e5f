// The login, by any system that external_auth of the master names.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Problem, read } from '../api/client.ts'
import icon from '../icon.svg'
import { useResource } from '../live/resource.ts'
import { logIn } from '../session.ts'
import { Button, Field, Notice } from '../ui/basic.tsx'

const STORED = 'brine-login'

/** Return the last user name and system; never a password. */
function remembered(): { username: string; eauth: string } {
  const [username = '', eauth = ''] = (localStorage.getItem(STORED) ?? '').split('\n')
  return { username, eauth }
}

/** Return why a login failed, in words for the user. */
function failure(error: unknown, eauth: string): string {
  if (!(error instanceof Problem)) return String(error)
  if (error.status === 401) return `The user or the password is wrong, or ${eauth} does not let this user in.`
  if (error.status === 0) return 'The server cannot be reached. Try again in a moment.'
  return error.message
}

/** The fields of the login. */
export function LoginForm({ onDone }: { onDone?: () => void }) {
  const { data, isLoading } = useResource((signal) => read('/v1/login', { signal }), [])
  const [username, setName] = useState(remembered().username)
  const [password, setPassword] = useState('')
  const [chosen, choose] = useState(remembered().eauth)
  const [wrong, setWrong] = useState<string | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const field = (name: string): HTMLInputElement | null =>
    form.current?.querySelector<HTMLInputElement>(`[name="${name}"]`) ?? null
  useEffect(() => field(username === '' ? 'username' : 'password')?.focus(), [])
  const systems = data?.eauth ?? []
  const eauth = systems.includes(chosen) ? chosen : (systems[0] ?? 'pam')
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setWrong(undefined)
    try {
      await logIn(username, password, eauth)
      localStorage.setItem(STORED, `${username}\n${eauth}`)
      onDone?.()
    } catch (error) {
      setWrong(failure(error, eauth))
      field('password')?.select()
    }
    setBusy(false)
  }
  return (
    <form ref={form} class="login-form" onSubmit={(event) => void submit(event)}>
      <h1 class="brand">
        <img src={icon} alt="" />
        Brine
      </h1>
      {data?.message && <p class="motd">{data.message}</p>}
      {data && systems.length === 0 && (
        <Notice tone="changed">The option external_auth of the master names no system, so nobody can log in.</Notice>
      )}
      {wrong && <Notice tone="failed">{wrong}</Notice>}
      <Field label="User">
        {(ids) => (
          <input
            {...ids}
            class="input"
            name="username"
            autocomplete="username"
            autocapitalize="off"
            spellcheck={false}
            required
            value={username}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Password">
        {(ids) => (
          <input
            {...ids}
            class="input"
            name="password"
            type="password"
            autocomplete="current-password"
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        )}
      </Field>
      {systems.length > 1 && (
        <Field label="Checked by" hint="A system that external_auth names">
          {(ids) => (
            <select {...ids} class="select" value={eauth} onChange={(event) => choose(event.currentTarget.value)}>
              {systems.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Button type="submit" kind="primary" disabled={isBusy || isLoading}>
        Log in
      </Button>
    </form>
  )
}

export function Login() {
  useEffect(() => {
    document.title = 'Log in · Brine'
  }, [])
  return (
    <main class="login">
      <LoginForm />
    </main>
  )
}
