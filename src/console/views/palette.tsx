// The command palette: pages, actions, minions, jobs and functions by a part of their names.
import { signal } from '@preact/signals'
import { useEffect, useId, useState } from 'preact/hooks'
import { Dialog } from '../ui/dialog.tsx'
import { type Choice, found, ownChoices } from './palette/choices.ts'

/** Whether the palette is open. */
export const palette = signal(false)

const PAUSE_MS = 120

const close = (): void => {
  palette.value = false
}

/** Return the server's results for a text, shortly after the last key press. */
function useFound(text: string): readonly Choice[] {
  const [choices, setChoices] = useState<readonly Choice[]>([])
  useEffect(() => {
    const abort = new AbortController()
    const timer = setTimeout(
      async () => {
        const news = await found(text.trim(), abort.signal)
        if (!abort.signal.aborted) setChoices(news)
      },
      text === '' ? 0 : PAUSE_MS,
    )
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text])
  return choices
}

export function Palette() {
  const [text, type] = useState('')
  const [at, move] = useState(0)
  const id = useId()
  const more = useFound(text)
  useEffect(() => move(0), [text])
  const own = ownChoices(text.trim())
  const choices = text === '' ? [...more, ...own] : [...own, ...more]
  const open = (choice: Choice | undefined): void => {
    if (!choice) return
    close()
    choice.open()
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
        aria-label="Search pages, minions, jobs, functions and actions"
        placeholder="Search pages, minions, jobs, functions and actions"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
      />
      <div role="listbox" id={id} aria-label="Found">
        {choices.map((choice, index) => (
          <div
            key={`${choice.kind} ${choice.title} ${index}`}
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
      </div>
      {choices.length === 0 && <p class="empty">Nothing has this name.</p>}
    </Dialog>
  )
}
