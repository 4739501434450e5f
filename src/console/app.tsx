// The whole page: the login, or the frame with the view that the address names.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Banners, Bar, Navigation, SkipLink, viewName } from './frame.tsx'
import { useShortcuts } from './keyboard.ts'
import { href, param, route } from './route.ts'
import { begin, session, sessionProblem } from './session.ts'
import { Button, Empty, ProblemNotice, View } from './ui/basic.tsx'
import { Questions } from './ui/dialog.tsx'
import { Toasts } from './ui/toasts.tsx'
import { Login } from './views/login.tsx'
import { Palette, palette } from './views/palette.tsx'
import { ShortcutHelp } from './views/shortcut-help.tsx'
import { VIEWS, type ViewEntry, type ViewProps } from './views.ts'

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

/** Focus the title of a page after a navigation, so that a screen reader announces it. */
function useTitleFocus(name: string, path: string, isShown: boolean): void {
  const before = useRef<{ name: string; path: string } | undefined>(undefined)
  useEffect(() => {
    if (!isShown) return
    const last = before.current
    before.current = { name, path }
    if (!last || last.path === path) return
    const { activeElement } = document
    const isInPage = activeElement !== null && activeElement.closest('.main') !== null
    // keep the focus that the page itself has set, or kept beside a dialog
    if (isInPage && (last.name === name || activeElement.matches('input, textarea, select'))) return
    const title = document.querySelector<HTMLElement>('.main h1')
    if (!title) return
    title.tabIndex = -1
    title.focus()
  }, [path, isShown])
}

function Shown() {
  const name = viewName()
  const view = VIEWS.find((each) => each.name === name)
  const Component = loaded.value.get(name)
  useEffect(() => {
    if (view && !loaded.peek().has(view.name)) void load(view)
  }, [name])
  useTitleFocus(name, route.value.path.join('/'), Component !== undefined || !view)
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
    <Component key={name} rest={route.value.path.slice(1)} />
  ) : (
    <View title={view.title} isLoading children={null} />
  )
}

function Frame() {
  useShortcuts()
  return (
    <div class="frame">
      <SkipLink />
      <Bar />
      <Navigation />
      <main class="main" id="main" tabIndex={-1}>
        <Banners />
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
        <main class="login">
          <ProblemNotice problem={sessionProblem.value} retry={begin} />
        </main>
      ) : (
        current !== undefined && (current === null ? <Login /> : <Frame />)
      )}
      <Toasts />
    </>
  )
}
