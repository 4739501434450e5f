// The changes of a state, as a diff if possible.
import { Diff, isDiff, Shown } from '../../ui/values.tsx'

type Mapping = Record<string, unknown>

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A pair of old and new value, which most states return. */
const isPair = (value: unknown): value is Mapping & { old?: unknown; new?: unknown } =>
  isMapping(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => key === 'old' || key === 'new')

const text = (value: unknown): string =>
  value === undefined || value === null || value === ''
    ? ''
    : typeof value === 'string'
      ? value
      : JSON.stringify(value, null, 2)

/** Write a pair as a difference of lines. */
const pairText = ({ old, new: now }: { old?: unknown; new?: unknown }): string => {
  const lines = (value: unknown, sign: string): string[] =>
    text(value) === ''
      ? []
      : text(value)
          .split('\n')
          .map((line) => sign + line)
  return [...lines(old, '-'), ...lines(now, '+')].join('\n')
}

const LONGEST = 100_000

function Change({ name, value }: { name: string; value: unknown }) {
  const isText = typeof value === 'string'
  return (
    <div class="change">
      <p class="small muted mono wrap">{name}</p>
      {isText && isDiff(value) ? (
        <Diff text={value.slice(0, LONGEST)} />
      ) : isPair(value) ? (
        <Diff text={pairText(value).slice(0, LONGEST)} />
      ) : (
        <Shown value={isText ? value.slice(0, LONGEST) : value} />
      )}
    </div>
  )
}

export function Changes({ value }: { value: unknown }) {
  if (isPair(value)) return <Change name="changes" value={value} />
  if (!isMapping(value)) return value === undefined || value === null ? null : <Shown value={value} />
  const entries = Object.entries(value)
  return (
    <div class="stack">
      {entries.slice(0, 100).map(([name, each]) => (
        <Change key={name} name={name} value={each} />
      ))}
      {entries.length > 100 && <Shown value={value} open={1} />}
    </div>
  )
}
