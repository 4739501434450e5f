// Values of JSON and texts with a form: trees and differences.
import { useState } from 'preact/hooks'
import { counted } from '../format.ts'
import { Button } from './basic.tsx'
import { MOST_ITEMS, openLevels } from './levels.ts'

/** Characters of a text, and lines of a difference, that are shown at first. */
const LONGEST_TEXT = 100_000
const MOST_LINES = 2000

/** A text of lines; the rest of a long one is shown on demand. */
function Text({ text, kind }: { text: string; kind: string }) {
  const [most, show] = useState(LONGEST_TEXT)
  return (
    <>
      <pre class={kind}>{text.slice(0, most)}</pre>
      {text.length > most && (
        <Button small kind="plain" onClick={() => show(most + 5 * LONGEST_TEXT)}>
          {counted(text.length - most, 'more character')}
        </Button>
      )}
    </>
  )
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    const isLong = value.length > LONGEST_TEXT || value.includes('\n')
    return isLong ? <Text text={value} kind="text" /> : <span class="text">{JSON.stringify(value)}</span>
  }
  return <span class={typeof value === 'number' ? 'number' : 'word'}>{JSON.stringify(value) ?? 'null'}</span>
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null

function Branch({ name, value, depth, open }: { name?: string; value: object; depth: number; open: number }) {
  const entries = Object.entries(value)
  const [isOpen, setOpen] = useState(depth < open)
  const [most, show] = useState(MOST_ITEMS)
  const size = Array.isArray(value) ? counted(entries.length, 'item') : counted(entries.length, 'key')
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name !== undefined && <span class="key">{name}: </span>}
        <span class="muted">{size}</span>
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, most).map(([key, item]) => (
            <li key={key}>
              <Node name={key} value={item} depth={depth + 1} open={open} />
            </li>
          ))}
          {entries.length > most && (
            <li>
              <Button small kind="plain" onClick={() => show(most + 10 * MOST_ITEMS)}>
                {counted(entries.length - most, 'more item')}
              </Button>
            </li>
          )}
        </ul>
      )}
    </details>
  )
}

function Node({ name, value, depth, open }: { name?: string; value: unknown; depth: number; open: number }) {
  if (isBranch(value) && Object.keys(value).length > 0)
    return <Branch {...(name !== undefined && { name })} value={value} depth={depth} open={open} />
  return (
    <div class="leaf">
      {name !== undefined && <span class="key">{name}: </span>}
      <Leaf value={value} />
    </div>
  )
}

/** A value of JSON, to open and close. `open` levels are open at first, fewer of a large value. */
export const Tree = ({ value, open = 2 }: { value: unknown; open?: number }) => (
  <div class="tree">
    <Node value={value} depth={0} open={openLevels(value, open)} />
  </div>
)

const KINDS: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'place' }

/** Whether a text is a unified difference. */
export const isDiff = (text: string): boolean => /^--- .*\n\+\+\+ /m.test(text) || /^@@ -\d/m.test(text)

/** A unified difference with coloured lines; the rest of a long one is shown on demand. */
export function Diff({ text }: { text: string }) {
  const [most, show] = useState(MOST_LINES)
  const lines = text.split('\n')
  return (
    <>
      <pre class="diff">
        {lines.slice(0, most).map((line, at) => (
          <span key={at} class={/^(---|\+\+\+) /.test(line) ? 'muted' : (KINDS[line[0] ?? ''] ?? '')}>
            {line || ' '}
          </span>
        ))}
      </pre>
      {lines.length > most && (
        <Button small kind="plain" onClick={() => show(most + MOST_LINES)}>
          {counted(lines.length - most, 'more line')}
        </Button>
      )}
    </>
  )
}

/** A value as it is best read: a difference, a text of lines, or a tree. */
export function Shown({ value, open = 2 }: { value: unknown; open?: number }) {
  if (typeof value === 'string' && isDiff(value)) return <Diff text={value} />
  if (typeof value === 'string') return <Text text={value} kind="code" />
  return <Tree value={value} open={open} />
}
