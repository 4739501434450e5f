// The login, by any system that external_auth of the master names.
import { useState } from 'preact/hooks'
import { read } from '../api/client.ts'
import icon from '../icon.svg'
import { useResource } from '../live/resource.ts'
import { logIn } from '../session.ts'
import { Button, Field, Notice } from '../ui/basic.tsx'

const STORED = 'brine-login'

/** What was chosen the last time; never a password. */
function remembered(): { username: string; eauth: string } {
  const [username = '', eauth = ''] = (localStorage.getItem(STORED) ?? '').split('\n')
  return { username, eauth }
}

export function Login() {
  const { data, isLoading } = useResource((signal) => read('/v1/login', { signal }), [])
  const [username, setName] = useState(remembered().username)
  const [password, setPassword] = useState('')
  const [chosen, choose] = useState(remembered().eauth)
  const [wrong, setWrong] = useState<string | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const systems = data?.eauth ?? []
  const eauth = systems.includes(chosen) ? chosen : (systems[0] ?? 'pam')
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      await logIn(username, password, eauth)
      localStorage.setItem(STORED, `${username}\n${eauth}`)
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }
  return (
    <main class="login">
      <form onSubmit={(event) => void submit(event)}>
        <h1 class="brand">
          <img src={icon} alt="" />
          Brine
        </h1>
        {data?.message && <p class="motd">{data.message}</p>}
        {wrong && <Notice tone="failed">{wrong}</Notice>}
        <Field label="User">
          {(ids) => (
            <input
              {...ids}
              class="input"
              name="username"
              autocomplete="username"
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
    </main>
  )
}
