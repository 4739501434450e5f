// The frame around the views: navigation, search, the state of the connection and the user.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import icon from './icon.svg'
import { useShortcuts } from './keyboard.ts'
import { connection } from './live/stream.ts'
import { href, param, route } from './route.ts'
import { cycleScheme, schemeName } from './scheme.ts'
import { begin, logOut, session, sessionProblem } from './session.ts'
import { Button, Empty, Menu, ProblemNotice, View } from './ui/basic.tsx'
import { Questions } from './ui/dialog.tsx'
import { Icon } from './ui/icons.tsx'
import { attempt, Toasts } from './ui/toasts.tsx'
import { Login } from './views/login.tsx'
import { Palette, palette } from './views/palette.tsx'
import { ShortcutHelp } from './views/shortcut-help.tsx'
import { VIEWS, type ViewEntry, type ViewProps } from './views.ts'

const isMenuOpen = signal(false)

const GROUPS = ['Fleet', 'Automation', 'Master'] as const

const CONNECTION_TEXTS = {
  off: 'Not connected',
  connecting: 'Connecting',
  live: 'Live',
  waiting: 'No connection, trying again',
}

/** The name of the view in the address. */
const viewName = (): string => route.value.path[0] ?? 'overview'

const Navigation = () => (
  <nav class={isMenuOpen.value ? 'side open' : 'side'} aria-label="Views">
    {GROUPS.map((group) => (
      <div key={group}>
        <h2>{group}</h2>
        {VIEWS.filter((view) => view.group === group).map((view) => (
          <a
            key={view.name}
            href={href(view.name)}
            aria-current={view.name === viewName() ? 'page' : undefined}
            title={`g ${view.key}`}
            onClick={() => {
              isMenuOpen.value = false
            }}
          >
            <Icon name={view.icon} />
            {view.title}
          </a>
        ))}
      </div>
    ))}
  </nav>
)

const Bar = () => (
  <header class="bar">
    <span class="menu-button">
      <Button
        icon="menu"
        kind="plain"
        title="Views"
        aria-expanded={isMenuOpen.value}
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
      title="Search pages, minions, jobs and functions"
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
        <a href={href('users', { user: session.value?.user, eauth: session.value?.eauth })}>What I may do</a>
        <button type="button" onClick={() => void attempt(logOut)}>
          Log out
        </button>
      </Menu>
    </div>
  </header>
)

/** The components of views that are loaded. */
const loaded = signal<ReadonlyMap<string, ComponentType<ViewProps>>>(new Map())
const loadProblem = signal<string | undefined>(undefined)

async function load(view: ViewEntry): Promise<void> {
  try {
    const { default: component } = await view.load()
    loaded.value = new Map(loaded.value).set(view.name, component)
    loadProblem.value = undefined
  } catch {
    // after an upgrade of the master the files of the old page are gone
    loadProblem.value = view.name
  }
}

function Shown() {
  const name = viewName()
  const view = VIEWS.find((each) => each.name === name)
  const Component = loaded.value.get(name)
  useEffect(() => {
    if (view && !loaded.peek().has(view.name)) void load(view)
  }, [name])
  if (!view) {
    return (
      <View title="Not found">
        <Empty title={`There is no page ${name}`}>
          <a href={href('overview')}>Go to the overview</a>
        </Empty>
      </View>
    )
  }
  if (loadProblem.value === name) {
    return (
      <View title={view.title}>
        <Empty title="The page could not be loaded">
          <p>The server may have been upgraded since this page was opened.</p>
          <Button onClick={() => location.reload()}>Load it again</Button>
        </Empty>
      </View>
    )
  }
  return Component ? (
    <Component rest={route.value.path.slice(1)} />
  ) : (
    <View title={view.title} isLoading children={null} />
  )
}

function Frame() {
  useShortcuts()
  return (
    <div class="frame">
      <Bar />
      <Navigation />
      <main class="main" id="main">
        <Shown />
      </main>
      {palette.value && <Palette />}
      {param('help') !== '' && <ShortcutHelp />}
      <Questions />
    </div>
  )
}

export function App() {
  useEffect(() => void begin(), [])
  const current = session.value
  return (
    <>
      {sessionProblem.value && !current ? (
        <div class="login">
          <ProblemNotice problem={sessionProblem.value} retry={begin} />
        </div>
      ) : (
        current !== undefined && (current === null ? <Login /> : <Frame />)
      )}
      <Toasts />
    </>
  )
}
