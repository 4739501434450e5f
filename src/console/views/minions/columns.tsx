// The columns of the list: those of every minion, and those by a path of grains or pillar.
import { useState } from 'preact/hooks'
import { type Data, get } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import { href, param, setParams } from '../../route.ts'
import { Button, Field } from '../../ui/basic.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { isNarrow } from '../../ui/narrow.ts'
import type { Column } from '../../ui/table.tsx'
import type { Minion } from './facts.ts'
import { columnText } from './filters.ts'
import { DriftMark, HighstateMark, Presence } from './marks.tsx'

/** Most columns by a path that the server takes. */
const MOST = 12

const KNOWN: Readonly<Record<string, Column<Minion>>> = {
  os: { key: 'os', title: 'System', width: 'minmax(110px, 1fr)', canSort: true, cell: ({ os }) => os ?? '–' },
  version: {
    key: 'version',
    title: 'Salt',
    width: '90px',
    canSort: true,
    cell: ({ version }) => version ?? <span class="muted">–</span>,
  },
  highstate: {
    key: 'highstate',
    title: 'Last highstate',
    width: 'minmax(170px, 1fr)',
    canSort: true,
    cell: (minion) => <HighstateMark minion={minion} />,
  },
  drift: {
    key: 'drift',
    title: 'Drift',
    width: '100px',
    canSort: true,
    cell: (minion) => <DriftMark minion={minion} />,
  },
  job: {
    key: 'job',
    title: 'Last job',
    width: '180px',
    canSort: true,
    cell: ({ lastJob }) =>
      lastJob ? (
        <a class="mono" href={href(['jobs', lastJob])}>
          {lastJob}
        </a>
      ) : (
        '–'
      ),
  },
}

const USUAL = ['os', 'version', 'highstate', 'drift']

const isPath = (name: string): boolean => /^(grains|pillar)\../.test(name)

/** The columns that the address names. */
function columnNames(): string[] {
  const text = param('columns')
  return text === '' ? USUAL : text.split(',').filter((name) => name in KNOWN || isPath(name))
}

/** Return the columns whose values the server must send. */
export const pathColumns = (): string[] => columnNames().filter(isPath).slice(0, MOST)

const byPath = (name: string): Column<Minion> => ({
  key: name,
  title: name,
  width: 'minmax(120px, 1fr)',
  canSort: true,
  cell: ({ columns }) => {
    const text = columnText(columns?.[name])
    return text === '' ? <span class="muted">–</span> : <span title={text}>{text}</span>
  },
})

/** The columns of the table behind the checkboxes. */
export function tableColumns(link: (id: string) => string): Column<Minion>[] {
  const first: Column<Minion>[] = [
    {
      key: 'id',
      title: 'Minion',
      width: 'minmax(140px, 2fr)',
      canSort: true,
      cell: ({ id }) => (
        <a class="strong" href={link(id)}>
          {id}
        </a>
      ),
    },
    { key: 'state', title: 'State', width: '84px', canSort: true, cell: (minion) => <Presence minion={minion} /> },
  ]
  const names = columnNames()
  const shown = isNarrow.value && param('columns') === '' ? ['highstate'] : names
  return [...first, ...shown.map((name) => KNOWN[name] ?? byPath(name))]
}

/** The least width of the table for its columns to be read. */
export const tableWidth = (columns: ReadonlyArray<Column<Minion>>): number =>
  (isNarrow.value ? 110 : 124) * columns.length

type Details = Data<'/v1/minions/{id}'>

function pathsOf(value: unknown, path: string, found: string[] = []): string[] {
  found.push(path)
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && path.split(':').length < 4) {
    for (const [key, item] of Object.entries(value)) pathsOf(item, `${path}:${key}`, found)
  }
  return found
}

/** Return the paths of grains and pillar of a minion as suggestions; empty if the user may not read them. */
async function offered(id: string | undefined, signal: AbortSignal): Promise<string[]> {
  if (id === undefined) return []
  const grains = get('/v1/minions/{id}', { params: { id }, signal }).then(({ grains: all }: Details) =>
    Object.entries(all).flatMap(([key, value]) => pathsOf(value, `grains.${key}`)),
  )
  const pillar = get('/v1/minions/{id}/pillar', { params: { id }, signal }).then(({ items }) =>
    items.map(({ path }) => `pillar.${path}`),
  )
  const settled = await Promise.allSettled([grains, pillar])
  return settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
}

const write = (names: readonly string[]): void => setParams({ columns: names.join(',') })

/** Choose the columns. `sample`: the minion whose grains and pillar are suggested. */
export function ColumnDialog({ sample, onClose }: { sample: string | undefined; onClose(): void }) {
  const { data: paths = [] } = useResource(async (signal) => ({ data: await offered(sample, signal), number: 0 }), [])
  const [text, type] = useState('')
  const names = columnNames()
  const spare = Object.keys(KNOWN).filter((name) => !names.includes(name))
  const isWrong = text !== '' && !isPath(text)
  const add = (event: Event): void => {
    event.preventDefault()
    if (!isPath(text) || text.includes(',')) return
    if (!names.includes(text)) write([...names, text])
    type('')
  }
  return (
    <Dialog label="Columns" onClose={onClose}>
      <div class="stack">
        <h2>Columns</h2>
        <ul class="column-list">
          {names.map((name, at) => (
            <li key={name} class="row spread">
              <span class="wrap">{KNOWN[name]?.title ?? name}</span>
              <span class="row">
                <Button
                  small
                  icon="up"
                  kind="plain"
                  title={`Move ${name} forward`}
                  disabled={at === 0}
                  onClick={() => write(names.with(at, names[at - 1]!).with(at - 1, name))}
                />
                <Button
                  small
                  icon="close"
                  kind="plain"
                  title={`Remove ${name}`}
                  onClick={() => write(names.filter((each) => each !== name))}
                />
              </span>
            </li>
          ))}
        </ul>
        <div class="row">
          {spare.map((name) => (
            <Button key={name} small icon="plus" onClick={() => write([...names, name])}>
              {KNOWN[name]!.title}
            </Button>
          ))}
        </div>
        <form class="stack flat" onSubmit={add}>
          <Field
            label="A grain or a value of the pillar"
            hint="Such as grains.kernel, grains.roles or pillar.web:port"
            wrong={isWrong ? 'Begin with grains. or pillar.' : undefined}
          >
            {(ids) => (
              <div class="row">
                <input
                  {...ids}
                  class="input grow"
                  list="column-paths"
                  autocomplete="off"
                  spellcheck={false}
                  value={text}
                  onInput={(event) => type(event.currentTarget.value.trim())}
                />
                <Button type="submit" icon="plus" disabled={!isPath(text)}>
                  Add
                </Button>
                <datalist id="column-paths">
                  {paths.slice(0, 1000).map((path) => (
                    <option key={path} value={path} />
                  ))}
                </datalist>
              </div>
            )}
          </Field>
        </form>
        <div class="actions">
          <Button onClick={() => write([])}>Usual columns</Button>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
