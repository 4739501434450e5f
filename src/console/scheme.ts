// Light and dark: as the system says, unless the user chose.
import { signal } from '@preact/signals'

const NAMES = ['system', 'light', 'dark'] as const
type Scheme = (typeof NAMES)[number]

const STORED = 'brine-scheme'

const read = (): Scheme => NAMES.find((name) => name === localStorage.getItem(STORED)) ?? 'system'

const scheme = signal<Scheme>(read())

function show(): void {
  const { dataset } = document.documentElement
  if (scheme.peek() === 'system') delete dataset['scheme']
  else dataset['scheme'] = scheme.peek()
}

show()

export const schemeName = (): string => (scheme.value === 'system' ? 'as the system' : scheme.value)

/** Go on to the next choice. */
export function cycleScheme(): void {
  scheme.value = NAMES[(NAMES.indexOf(scheme.peek()) + 1) % NAMES.length]!
  localStorage.setItem(STORED, scheme.peek())
  show()
}
