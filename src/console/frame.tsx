// The frame around the views: the bar, the navigation, and messages about the connection and the session.
import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { read } from './api/client.ts'
import { count } from './format.ts'
import icon from './icon.svg'
import { useResource } from './live/resource.ts'
import { connection, type LiveEvent } from './live/stream.ts'
import { href, route } from './route.ts'
import { cycleScheme, schemeName } from './scheme.ts'
import { logOut, seemsAllowed, session, sessionEnd } from './session.ts'
import { Badge, Button, Menu, Notice } from './ui/basic.tsx'
import { Dialog } from './ui/dialog.tsx'
import { Icon } from './ui/icons.tsx'
import { attempt } from './ui/toasts.tsx'
import { LoginForm } from './views/login.tsx'
import { palette } from './views/palette.tsx'
import { VIEWS } from './views.ts'

const isMenuOpen = signal(false)

const GROUPS = ['Fleet', 'Automation', 'Master'] as const

const CONNECTION_TEXTS = {
  off: 'Not connected',
  connecting: 'Connecting',
  live: 'Live',
  waiting: 'No connection, trying again',
}

/** The name of the view in the address. */
export const viewName = (): string => route.value.path[0] ?? 'overview'

const MOST_WAITING = 1000

/** Whether an event may change which keys wait. */
const isKeyEvent = ({ tag, data }: LiveEvent): boolean =>
  tag === 'salt/key' || (tag === 'salt/auth' && data['act'] === 'pend')

/** The number of pending keys. */
function WaitingKeys() {
  const { data } = useResource(
    (signal) => read('/v1/keys', { query: { state: 'pending', limit: MOST_WAITING }, signal }),
    [],
    { apply: (_, event) => (isKeyEvent(event) ? 'reload' : undefined), reloadMs: 2000 },
  )
  const waiting = data?.items.length ?? 0
  if (waiting === 0) return null
  return (
    <Badge tone="changed" title="Keys that wait to be accepted">
      {count(waiting)}
      {data?.next && '+'}
      <span class="hidden-text"> waiting</span>
    </Badge>
  )
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

export function Navigation() {
  useEffect(() => {
    const leave = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') isMenuOpen.value = false
    }
    addEventListener('keydown', leave)
    return () => removeEventListener('keydown', leave)
  }, [])
  const { path } = route.value
  // before the next picture: a new view is never shown below an open menu
  useLayoutEffect(() => {
    isMenuOpen.value = false
  }, [path.join('/')])
  return (
    <nav class={isMenuOpen.value ? 'side open' : 'side'} id="views" aria-label="Views">
      {GROUPS.map((group) => (
        <div key={group}>
          <h2>{group}</h2>
          {VIEWS.filter((view) => view.group === group).map((view) => (
            <a
              key={view.name}
              href={href(view.name)}
              aria-current={view.name === viewName() ? 'page' : undefined}
              title={`g ${view.key}`}
            >
              <Icon name={view.icon} />
              {view.title}
              {view.name === 'keys' && seemsAllowed('wheel', 'key.list_all') && <WaitingKeys />}
            </a>
          ))}
        </div>
      ))}
      <p class="side-foot" title="Times are shown in the time zone of this browser; the exact value is told on hover">
        Times in {ZONE}
      </p>
    </nav>
  )
}

export const Bar = () => (
  <header class="bar">
    <span class="menu-button">
      <Button
        icon="menu"
        kind="plain"
        title="Views"
        aria-expanded={isMenuOpen.value}
        aria-controls="views"
        onClick={() => {
          isMenuOpen.value = !isMenuOpen.value
        }}
      />
    </span>
    <a class="brand" href={href('overview')}>
      <img src={icon} alt="" />
      Brine
    </a>
    <button
      type="button"
      class="bar-search"
      title="Search pages, minions, jobs, functions and actions"
      onClick={() => {
        palette.value = true
      }}
    >
      <Icon name="search" />
      <span>Search or go to …</span>
      <kbd>Ctrl K</kbd>
    </button>
    <div class="bar-right">
      <span class="live" data-state={connection.value} role="status" title={CONNECTION_TEXTS[connection.value]}>
        <span>{CONNECTION_TEXTS[connection.value]}</span>
      </span>
      <Button icon="theme" kind="plain" title={`Colours: ${schemeName()}`} onClick={cycleScheme} />
      <Menu
        icon="user"
        label={
          <>
            <span class="hidden-text">User </span>
            <span class="user-name">{session.value?.user}</span>
          </>
        }
      >
        <a href={href('users')}>What I may do</a>
        <button type="button" onClick={() => void attempt(logOut)}>
          Log out
        </button>
      </Menu>
    </div>
  </header>
)

/** Jump over the bar and the navigation. The part of the address behind `#` is the page, so this is no link. */
export const SkipLink = () => (
  <button type="button" class="button skip" onClick={() => document.getElementById('main')?.focus()}>
    Skip to the content
  </button>
)

/** How long an interruption lasts before a message appears, in milliseconds. */
const BREAK_MS = 2500

function Away() {
  const [isLong, setLong] = useState(false)
  const isAway = connection.value === 'waiting'
  useEffect(() => {
    setLong(false)
    if (!isAway) return undefined
    const timer = setTimeout(() => setLong(true), BREAK_MS)
    return () => clearTimeout(timer)
  }, [isAway])
  if (!isAway || !isLong) return null
  return (
    <Notice tone="changed">
      <Icon name="warning" />
      <span class="grow">
        The server cannot be reached. What is shown is from before; it goes on by itself when the server is back.
      </span>
    </Notice>
  )
}

function Ending() {
  const [isAsking, asks] = useState(false)
  const end = sessionEnd.value
  if (end === undefined) return null
  const clock = new Date(end).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
  return (
    <Notice tone="changed">
      <Icon name="schedule" />
      <span class="grow">The session ends at {clock}.</span>
      <Button onClick={() => asks(true)}>Log in again</Button>
      {isAsking && (
        <Dialog label="Log in again" onClose={() => asks(false)}>
          <LoginForm onDone={() => asks(false)} />
        </Dialog>
      )}
    </Notice>
  )
}

/** Messages above every view. */
export const Banners = () => (
  <div class="banners">
    <Away />
    <Ending />
  </div>
)
