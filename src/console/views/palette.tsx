// The command palette: pages, minions, jobs and functions by a part of their names.
import { signal } from '@preact/signals'
import { useEffect, useId, useState } from 'preact/hooks'
import { get } from '../api/client.ts'
import { href, navigate } from '../route.ts'
import { Dialog } from '../ui/dialog.tsx'
import { VIEWS } from '../views.ts'

/** Whether the palette is open. */
export const palette = signal(false)

interface Choice {
  kind: string
  title: string
  href: string
}

const MOST = 8
const PAUSE_MS = 120

/** Whether the letters of a text come in a title, in their order. */
export function fits(title: string, text: string): boolean {
  let at = 0
  const lower = title.toLowerCase()
  for (const letter of text.toLowerCase()) {
    at = lower.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

const pages = (text: string): Choice[] =>
  VIEWS.filter(({ title }) => fits(title, text)).map(({ name, title }) => ({ kind: 'page', title, href: href(name) }))

/** What the server has for a text; a kind that the user may not read has nothing. */
async function found(text: string, abort: AbortSignal): Promise<Choice[]> {
  const minions = get('/v1/minions', { query: { q: text, limit: MOST }, signal: abort }).then(({ items }) =>
    items.map(({ id }) => ({ kind: 'minion', title: id, href: href(['minions', id]) })),
  )
  const functions = get('/v1/functions', { query: { q: text, limit: MOST }, signal: abort }).then(({ items }) =>
    items.map(({ family, name }) => ({ kind: family, title: name, href: href('run', { family, function: name }) })),
  )
  const jobs = /^\d{8,20}$/.test(text)
    ? get('/v1/jobs/{jid}', { params: { jid: text }, signal: abort }).then(({ jid, function: fun }) => [
        { kind: 'job', title: `${jid} ${fun}`, href: href(['jobs', jid]) },
      ])
    : get('/v1/jobs', { query: { function: `*${text.replaceAll('*', '')}*`, limit: MOST }, signal: abort }).then(
        ({ items }) =>
          items.map(({ jid, function: fun, target }) => ({
            kind: 'job',
            title: `${fun} on ${target}`,
            href: href(['jobs', jid]),
          })),
      )
  const settled = await Promise.allSettled([minions, functions, jobs])
  return settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
}

const close = (): void => {
  palette.value = false
}

export function Palette() {
  const [text, type] = useState('')
  const [more, setMore] = useState<readonly Choice[]>([])
  const [at, move] = useState(0)
  const id = useId()
  useEffect(() => {
    move(0)
    if (text.trim() === '') {
      setMore([])
      return undefined
    }
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const choices = await found(text.trim(), abort.signal)
      if (!abort.signal.aborted) setMore(choices)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text])
  const choices = [...pages(text), ...more]
  const open = (choice: Choice | undefined): void => {
    if (!choice) return
    close()
    navigate(choice.href)
  }
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') open(choices[at])
    else if (step !== undefined) move((at + step + choices.length) % Math.max(1, choices.length))
    else return
    event.preventDefault()
  }
  return (
    <Dialog label="Search" className="dialog palette" onClose={close}>
      <input
        class="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={choices[at] ? `${id}-${at}` : undefined}
        aria-label="Search pages, minions, jobs and functions"
        placeholder="Search pages, minions, jobs and functions"
        autocomplete="off"
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
      />
      <div role="listbox" id={id} aria-label="Found">
        {choices.map((choice, index) => (
          <div
            key={`${choice.kind} ${choice.href}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            ref={(element) => void (index === at && element?.scrollIntoView({ block: 'nearest' }))}
            onClick={() => open(choice)}
          >
            <span class="clip">{choice.title}</span>
            <span class="kind">{choice.kind}</span>
          </div>
        ))}
        {choices.length === 0 && <p class="empty">Nothing has this name.</p>}
      </div>
    </Dialog>
  )
}
