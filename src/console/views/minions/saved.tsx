// Views of the list that a person named, kept in this browser. A view is the address of the list, so that it can be shared as a link.
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { route } from '../../route.ts'
import { Button, Field, Menu } from '../../ui/basic.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toasts.tsx'

const STORED = 'brine-minion-views'
const MOST = 50
const LONGEST = 60

type Views = Readonly<Record<string, string>>

function stored(): Views {
  try {
    const views: unknown = JSON.parse(localStorage.getItem(STORED) ?? '{}')
    const entries = Object.entries(views ?? {}).filter(([, query]) => typeof query === 'string')
    return Object.fromEntries(entries)
  } catch {
    // the stored data is from another program: start empty
    return {}
  }
}

const views = signal<Views>(stored())

function keep(next: Views): void {
  views.value = next
  localStorage.setItem(STORED, JSON.stringify(next))
}

/** Return the part of the address that a view stores: filters, order and columns, without selection. */
function present(): string {
  const query = new URLSearchParams(route.value.query)
  for (const name of ['select', 'show', 'help', 'dialog']) query.delete(name)
  return query.toString()
}

export function SaveDialog({ onClose }: { onClose(): void }) {
  const [name, type] = useState('')
  const save = (event: Event): void => {
    event.preventDefault()
    const title = name.trim()
    if (title === '') return
    keep({ ...views.value, [title]: present() })
    toast(`Saved the view ${title}`)
    onClose()
  }
  return (
    <Dialog label="Save this view" onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <h2>Save this view</h2>
        <p class="muted">Filters, order and columns are kept in this browser. The address of the page shares them.</p>
        <Field label="Name" hint={name.trim() in views.value ? 'Replaces the view of this name' : undefined}>
          {(ids) => (
            <input
              {...ids}
              class="input"
              maxLength={LONGEST}
              autocomplete="off"
              value={name}
              onInput={(event) => type(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            disabled={name.trim() === ''}
            refusal={Object.keys(views.value).length >= MOST ? `There are ${MOST} views already` : undefined}
          >
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const remove = (name: string): void => {
  keep(Object.fromEntries(Object.entries(views.value).filter(([each]) => each !== name)))
  toast(`Removed the view ${name}`)
}

export function ViewMenu({ onSave }: { onSave(): void }) {
  const names = Object.keys(views.value).sort()
  const now = present()
  const open = names.find((name) => views.value[name] === now)
  return (
    <Menu label={open ?? 'Views'} icon="eye">
      {names.map((name) => (
        <a key={name} href={`#/minions?${views.value[name]}`} aria-current={name === open ? 'true' : undefined}>
          <span class="grow clip">{name}</span>
        </a>
      ))}
      <a href="#/minions">All minions</a>
      <button type="button" onClick={onSave}>
        Save this view …
      </button>
      {open !== undefined && (
        <button type="button" onClick={() => remove(open)}>
          Remove the view {open}
        </button>
      )}
    </Menu>
  )
}
