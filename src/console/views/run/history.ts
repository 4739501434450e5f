// Commands that were run or saved in this browser. They are addresses of the form, without secrets.
import { signal } from '@preact/signals'

export interface Kept {
  title: string
  /** The command line, without secrets. */
  line: string
  href: string
}

const MOST = { recent: 15, saved: 200 }
const KEYS = { recent: 'brine-recent-commands', saved: 'brine-saved-commands' }

type Kind = keyof typeof KEYS

function readKept(kind: Kind): Kept[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEYS[kind]) ?? '[]')
    if (!Array.isArray(found)) return []
    // other pages of this origin could have written it: only our own addresses become links
    return found.filter(
      (each): each is Kept =>
        typeof each?.title === 'string' && typeof each.line === 'string' && String(each.href).startsWith('#/run?'),
    )
  } catch {
    return []
  }
}

export const kept = { recent: signal(readKept('recent')), saved: signal(readKept('saved')) }

function write(kind: Kind, items: Kept[]): void {
  kept[kind].value = items.slice(0, MOST[kind])
  localStorage.setItem(KEYS[kind], JSON.stringify(kept[kind].value))
}

/** Put a command first; an existing one moves. */
export const remember = (kind: Kind, item: Kept): void =>
  write(kind, [item, ...kept[kind].value.filter(({ title, href }) => title !== item.title && href !== item.href)])

export const forget = (kind: Kind, item: Kept): void =>
  write(
    kind,
    kept[kind].value.filter((each) => each !== item),
  )
