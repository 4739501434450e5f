// Keys that work on every page.
import { useEffect } from 'preact/hooks'
import { href, navigate, param, setParams } from './route.ts'
import { palette } from './views/palette.tsx'
import { VIEWS } from './views.ts'

/** How long `g` waits for the second key, in milliseconds. */
const PAIR_MS = 1500

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** The keys of every page, for the help. */
export const COMMON_KEYS: ReadonlyArray<readonly [keys: string, meaning: string]> = [
  ['Ctrl K', 'Search pages, minions, jobs and functions'],
  ['/', 'Go to the filter of the page'],
  ['?', 'Show the keys'],
  ['↑ ↓ or j k', 'Move between rows of a table'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close what is open, or leave a field'],
]

function pressed(event: KeyboardEvent, pair: { at: number }): boolean {
  if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
    palette.value = !palette.peek()
    return true
  }
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return false
  if (isTyping(event.target)) {
    // leaves the field, so that the other keys work again
    if (event.key === 'Escape') (event.target as HTMLElement).blur()
    return false
  }
  if (Date.now() - pair.at < PAIR_MS) {
    pair.at = 0
    const view = VIEWS.find(({ key }) => key === event.key)
    if (view) navigate(href(view.name))
    return view !== undefined
  }
  if (event.key === 'g') pair.at = Date.now()
  else if (event.key === '/') document.querySelector<HTMLElement>('[data-search]')?.focus()
  else if (event.key === '?') setParams({ help: param('help') === '' ? 1 : null })
  else return false
  return true
}

/** Listen to the keys while the frame is shown. */
export function useShortcuts(): void {
  useEffect(() => {
    const pair = { at: 0 }
    const listen = (event: KeyboardEvent): void => {
      if (pressed(event, pair)) event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
