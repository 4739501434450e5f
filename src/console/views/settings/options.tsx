// The effective options of the master: source, meaning and effect.
import { useMemo } from 'preact/hooks'
import { type Data, read } from '../../api/client.ts'
import { count } from '../../format.ts'
import { useResource } from '../../live/resource.ts'
import { pageLink, param, setParams } from '../../route.ts'
import { Badge, Button, Check, CopyMenu, Empty, ProblemNotice, Search, Select } from '../../ui/basic.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { isNarrow } from '../../ui/narrow.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { Shown } from '../../ui/values.tsx'

type Option = Data<'/v1/options'>['items'][number]

const LONGEST = 200

/** A value on one line, as YAML would have a short one. */
export function valueLine(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : (JSON.stringify(value) ?? '')
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** Return a file and line without parent folders; the full path is a tooltip. */
const shortPlace = (origin: string): string =>
  origin.startsWith('/') ? origin.slice(origin.lastIndexOf('/') + 1) : origin

const Marks = ({ option }: { option: Option }) => (
  <>
    {!option.hasEffect && (
      <Badge tone="changed" {...(option.note !== null && { title: option.note })}>
        no effect
      </Badge>
    )}
    {option.hasEffect && option.note !== null && (
      <Badge tone="info" title={option.note}>
        note
      </Badge>
    )}
    {option.secret && <Badge title="The value, or a part of it, is hidden">hidden</Badge>}
  </>
)

const columns = (): Column<Option>[] => [
  {
    key: 'name',
    title: 'Option',
    width: 'minmax(130px, 1fr)',
    canSort: true,
    cell: ({ name, origin }) => <span class={origin === null ? 'mono' : 'mono settings-set'}>{name}</span>,
  },
  {
    key: 'value',
    title: 'Value',
    width: 'minmax(90px, 1.5fr)',
    cell: ({ value }) => <span class="mono">{valueLine(value)}</span>,
  },
  ...(isNarrow.value
    ? []
    : [
        {
          key: 'origin',
          title: 'Set in',
          width: 'minmax(90px, 1fr)',
          canSort: true,
          cell: ({ origin }: Option) =>
            origin === null ? <span class="muted">default</span> : <span title={origin}>{shortPlace(origin)}</span>,
        },
      ]),
  {
    key: 'marks',
    title: <span class="hidden-text">Marks</span>,
    width: '90px',
    cell: (option) => <Marks option={option} />,
  },
]

const close = (): void => setParams({ option: null })

function Details({ option }: { option: Option }) {
  const { name, value, default: usual, origin, documented, note, hasEffect } = option
  return (
    <Dialog label={`Option ${name}`} onClose={close}>
      <div class="stack">
        <div class="row spread">
          <h2 class="mono wrap">{name}</h2>
          <span>
            <Marks option={option} />
          </span>
        </div>
        <p class="wrap">{documented || 'This option is not described.'}</p>
        {note !== null && <p class={hasEffect ? 'muted wrap' : 'tone-changed wrap'}>{note}</p>}
        <dl class="facts">
          <dt>Set in</dt>
          <dd>{origin ?? 'nothing sets it: the default'}</dd>
        </dl>
        <h3>Value</h3>
        <Shown value={value} open={3} />
        <h3>Default</h3>
        <Shown value={usual} open={1} />
        <div class="actions">
          <CopyMenu
            items={[
              ['Command line', () => `salt-run config.get ${name}`],
              ['JSON', () => JSON.stringify({ [name]: value }, null, 2)],
              ['Link', pageLink],
            ]}
          />
          <Button onClick={close}>Close</Button>
        </div>
      </div>
    </Dialog>
  )
}

const KINDS = [
  ['', 'All options'],
  ['ineffective', 'Without effect'],
  ['hidden', 'With hidden values'],
] as const

function fits(option: Option, q: string, isChanged: boolean, kind: string): boolean {
  if (isChanged && option.origin === null) return false
  if (kind === 'ineffective' && option.hasEffect) return false
  if (kind === 'hidden' && !option.secret) return false
  return q === '' || `${option.name}\n${option.documented}\n${option.origin ?? ''}`.toLowerCase().includes(q)
}

export function Options() {
  const { data, problem, reload } = useResource((signal) => read('/v1/options', { signal }), [])
  const [q, isChanged, kind, sort] = [
    param('q').toLowerCase(),
    param('changed') !== '',
    param('kind'),
    param('sort', 'name'),
  ]
  const rows = useMemo(() => {
    const by = (option: Option): string =>
      sort.endsWith('origin') ? `${option.origin ?? '~'} ${option.name}` : option.name
    const order = sort.startsWith('-') ? -1 : 1
    return (data?.items ?? [])
      .filter((option) => fits(option, q, isChanged, kind))
      .sort((a, b) => (by(a) < by(b) ? -order : order))
  }, [data, q, isChanged, kind, sort])
  const opened = data?.items.find(({ name }) => name === param('option'))
  if (problem) return <ProblemNotice problem={problem} retry={reload} />
  return (
    <>
      <div class="toolbar">
        <Search value={param('q')} label="Filter by name, meaning or file" onInput={(text) => setParams({ q: text })} />
        <Select label="Kind" value={kind} options={KINDS} onChange={(text) => setParams({ kind: text })} />
        <Check checked={isChanged} label="Set by a file" onChange={(changed) => setParams({ changed })} />
        {data && (
          <span class="muted">
            {count(rows.length)} of {count(data.items.length)}
          </span>
        )}
        <CopyMenu
          items={[
            ['JSON', () => JSON.stringify(Object.fromEntries(rows.map(({ name, value }) => [name, value])), null, 2)],
            ['Link', pageLink],
          ]}
        />
      </div>
      {data && (
        <Table
          label="Options"
          rows={rows}
          columns={columns()}
          rowKey={({ name }) => name}
          sort={sort}
          onSort={(next) => setParams({ sort: next })}
          onOpen={({ name }) => setParams({ option: name }, { replace: false })}
          active={param('option')}
          fill
          empty={<Empty title="No option fits the filters" />}
        />
      )}
      {opened && <Details option={opened} />}
    </>
  )
}
