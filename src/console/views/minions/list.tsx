// The table of all minions: filters, columns, views and selection, all of them in the address.
import { useMemo } from 'preact/hooks'
import { count, counted } from '../../format.ts'
import { href, pageLink, param, setParams } from '../../route.ts'
import { seemsAllowed } from '../../session.ts'
import { Button, CopyMenu, Empty, LinkButton, ProblemNotice, Search, Select, View } from '../../ui/basic.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { askDelete, askHighstate, HighstateDialog, runHref } from './actions.tsx'
import { ColumnDialog, pathColumns, tableColumns, tableWidth } from './columns.tsx'
import type { Fleet, Minion } from './facts.ts'
import { chosen, RESULTS, selected, toggled } from './filters.ts'
import { useFleet, type Wanted } from './fleet.ts'
import { QuickView } from './quick.tsx'
import { SaveDialog, ViewMenu } from './saved.tsx'

const STATES: ReadonlyArray<readonly [value: string, text: string]> = [
  ['', 'Up and down'],
  ['up', 'Up'],
  ['down', 'Down'],
  ['pending', 'Keys waiting'],
  ['rejected', 'Keys rejected'],
  ['denied', 'Keys denied'],
]

const isKeyState = (state: string): state is Wanted['state'] => /^(pending|rejected|denied)$/.test(state)

/** A grain with its value, as the server takes it. */
const isGrain = (text: string): boolean => /^[^:]+(:[^:]*)+$/.test(text)

const NO_ROWS: Fleet = { rows: new Map(), total: 0 }

/** The versions of the loaded minions, with how many have each. */
function versionsOf(rows: Iterable<Minion>): Array<[value: string, text: string]> {
  const counts = new Map<string, number>()
  for (const { version } of rows) if (version !== null) counts.set(version, (counts.get(version) ?? 0) + 1)
  const named = [...counts].sort(([one], [other]) => other.localeCompare(one, undefined, { numeric: true }))
  return [
    ['', 'Any version'],
    ...named.map(([name, minions]): [string, string] => [name, `${name} (${count(minions)})`]),
  ]
}

function Filters({ rows }: { rows: Fleet['rows'] }) {
  const versions = useMemo(() => versionsOf(rows.values()), [rows.size])
  const grain = param('grain')
  return (
    <div class="toolbar">
      <Search value={param('q')} label="Filter by a part of the id" onInput={(q) => setParams({ q, select: null })} />
      <Select
        label="State"
        value={param('state')}
        options={STATES}
        onChange={(state) => setParams({ state, select: null })}
      />
      <Select
        label="Result of the last highstate"
        value={param('result')}
        options={RESULTS}
        onChange={(result) => setParams({ result, select: null })}
      />
      <Select
        label="Version of Salt"
        value={param('version')}
        options={versions}
        onChange={(version) => setParams({ version, select: null })}
      />
      <input
        class="input"
        type="search"
        placeholder="grain:value"
        aria-label="Filter by a grain and its value, such as os:Debian"
        aria-invalid={grain !== '' && !isGrain(grain)}
        title="A grain and its value, such as os:Debian or roles:web"
        autocomplete="off"
        spellcheck={false}
        value={grain}
        onChange={(event) => setParams({ grain: event.currentTarget.value.trim(), select: null })}
      />
      <input
        class="input wide mono"
        type="search"
        placeholder="Target: G@os:Debian and web*"
        aria-label="Filter by a compound target"
        title="A compound target, such as G@os:Debian and web*. The master says whom it means"
        maxLength={10_000}
        autocomplete="off"
        spellcheck={false}
        value={param('target')}
        onChange={(event) => setParams({ target: event.currentTarget.value.trim(), select: null })}
      />
    </div>
  )
}

/** Actions on the selected minions. */
function Selection({ ids, fleet, reload }: { ids: readonly string[]; fleet: Fleet; reload(): Promise<void> }) {
  const minions = () => ids.map((id) => fleet.rows.get(id)!)
  return (
    <div class="selection" role="region" aria-label="Selected minions">
      <strong>{counted(ids.length, 'minion')} selected</strong>
      <LinkButton href={runHref(ids)} icon="run" kind="primary">
        Run on these
      </LinkButton>
      <Button onClick={() => askHighstate(minions())}>Apply highstate …</Button>
      <Button
        kind="danger"
        refusal={seemsAllowed('wheel', 'key.delete') ? undefined : 'Your access list has no wheel function key.delete'}
        onClick={() =>
          askDelete(ids, () => {
            setParams({ select: null })
            void reload()
          })
        }
      >
        Delete keys …
      </Button>
      <CopyMenu
        items={[
          ['Ids', () => ids.join('\n')],
          ['Command line', () => `salt -L '${ids.join(',')}' test.ping`],
          ['JSON', () => JSON.stringify(minions(), null, 2)],
        ]}
      />
      <Button kind="plain" onClick={() => setParams({ select: null })}>
        Clear
      </Button>
    </div>
  )
}

function checkboxes(shown: readonly Minion[], ids: ReadonlySet<string>): Column<Minion> {
  const text = param('select')
  return {
    key: 'select',
    title: (
      <input
        type="checkbox"
        aria-label="Select all minions that are shown"
        checked={shown.length > 0 && ids.size === shown.length}
        onChange={(event) => setParams({ select: event.currentTarget.checked ? '*' : null })}
      />
    ),
    width: '20px',
    cell: ({ id }) => (
      <input
        type="checkbox"
        aria-label={`Select ${id}`}
        checked={ids.has(id)}
        onChange={() => setParams({ select: toggled(text, id, shown) })}
      />
    ),
  }
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No minion fits the filters">
        <a href="#/minions">Show all minions</a>
      </Empty>
    )
  }
  return (
    <Empty title="No minions yet">
      <p>Start a minion that names this master, then accept its key.</p>
      <a href={href('keys', { state: 'pending' })}>Look at the keys that wait</a>
    </Empty>
  )
}

const FILTERS = ['q', 'state', 'result', 'version', 'grain', 'target']

const Dialogs = ({ sample }: { sample: string | undefined }) => {
  const close = (): void => setParams({ dialog: null })
  return (
    <>
      {param('dialog') === 'columns' && <ColumnDialog sample={sample} onClose={close} />}
      {param('dialog') === 'save' && <SaveDialog onClose={close} />}
      <HighstateDialog />
    </>
  )
}

export function MinionList() {
  const [q, state, result, version] = [param('q'), param('state'), param('result'), param('version')]
  const grain = param('grain')
  const sort = param('sort', 'id')
  const fleetState = useFleet({
    state: isKeyState(state) ? state : 'accepted',
    grain: isGrain(grain) ? grain : '',
    target: param('target'),
    columns: pathColumns(),
  })
  const { data: fleet = NO_ROWS, problem, isLoading, reload } = fleetState
  const shown = useMemo(
    () => chosen(fleet.rows.values(), { q, state, result, version }, sort),
    [fleet, fleet.rows.size, q, state, result, version, sort],
  )
  const select = param('select')
  const ids = useMemo(() => selected(select, shown, fleet.rows), [select, shown])
  const chosenIds = useMemo(() => new Set(ids), [ids])
  const columns = [checkboxes(shown, chosenIds), ...tableColumns((id) => href(['minions', id]))]
  const open = param('show')
  return (
    <View
      title="Minions"
      full
      isLoading={isLoading && fleet.rows.size === 0}
      actions={
        <>
          <span class="muted" role="status">
            {fleet.rows.size < fleet.total
              ? `${count(shown.length)} shown, ${count(fleet.rows.size)} of ${count(fleet.total)} loaded`
              : `${count(shown.length)} of ${counted(fleet.total, 'minion')}`}
          </span>
          <Button icon="settings" kind="plain" onClick={() => setParams({ dialog: 'columns' })}>
            Columns
          </Button>
          <ViewMenu onSave={() => setParams({ dialog: 'save' })} />
          <CopyMenu
            items={[
              ['Link', pageLink],
              ['Ids', () => shown.map(({ id }) => id).join('\n')],
              ['JSON', () => JSON.stringify(shown, null, 2)],
            ]}
          />
        </>
      }
    >
      <Filters rows={fleet.rows} />
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {ids.length > 0 && <Selection ids={ids} fleet={fleet} reload={reload} />}
      <div class={open === '' ? 'list-pane' : 'list-pane with-quick'}>
        <Table
          label="Minions"
          fill
          rows={shown}
          total={shown.length}
          columns={columns}
          rowKey={({ id }) => id}
          sort={sort}
          onSort={(next) => setParams({ sort: next === 'id' ? null : next })}
          onOpen={({ id }) => setParams({ show: id === open ? null : id })}
          active={open}
          minWidth={tableWidth(columns)}
          empty={!isLoading && !problem && <Nothing isFiltered={FILTERS.some((name) => param(name) !== '')} />}
        />
        {open !== '' && <QuickView key={open} id={open} />}
      </div>
      <Dialogs sample={shown[0]?.id} />
    </View>
  )
}
