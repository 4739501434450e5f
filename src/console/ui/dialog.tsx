// Dialogs: one at a time, above the page.
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Field } from './basic.tsx'
import { attempt } from './toasts.tsx'

/** A modal box. Escape and a click beside it close it. */
export function Dialog({
  label,
  className = 'dialog',
  onClose,
  children,
}: {
  label: string
  className?: string
  onClose(): void
  children: ComponentChildren
}) {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    box.current?.showModal()
    return () => (before instanceof HTMLElement ? before.focus() : undefined)
  }, [])
  return (
    <dialog
      ref={box}
      class={className}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === box.current && onClose()}
    >
      {children}
    </dialog>
  )
}

export interface Question {
  title: string
  /** The scope of the action: what it affects, and how much. */
  reach: ComponentChildren
  /** The word that has to be typed; without one, a button is enough. */
  word?: string
  /** The text of the button. */
  action: string
  isDanger?: boolean
  /** The message after success. */
  done?: string
  run(): Promise<unknown>
}

const question = signal<Question | undefined>(undefined)

/** Ask before something is done. */
export function ask(asked: Question): void {
  question.value = asked
}

const close = (): void => {
  question.value = undefined
}

function Asking({ title, reach, word, action, isDanger = false, done, run }: Question) {
  const [typed, type] = useState('')
  const [isBusy, setBusy] = useState(false)
  const isSure = word === undefined || typed === word
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!isSure || isBusy) return
    setBusy(true)
    const worked = await attempt(run, done)
    setBusy(false)
    if (worked) close()
  }
  return (
    <Dialog label={title} onClose={close}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <h2>{title}</h2>
        <div class="wrap">{reach}</div>
        {word !== undefined && (
          <Field
            label={
              <>
                Type <code>{word}</code> to go on
              </>
            }
          >
            {(ids) => (
              <input
                {...ids}
                class="input"
                value={typed}
                autocomplete="off"
                onInput={(event) => type(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        <div class="actions">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind={isDanger ? 'danger' : 'primary'} disabled={!isSure || isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export const Questions = () => (question.value ? <Asking key={question.value.title} {...question.value} /> : null)
