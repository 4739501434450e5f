// The keys of minions (pending, accepted, rejected or denied) with their fingerprints and actions.
import './keys/keys.css'
import { useMemo, useState } from 'preact/hooks'
import { type Answer, read, readAll } from '../api/client.ts'
import { count, counted, shellWord } from '../format.ts'
import { useResource } from '../live/resource.ts'
import type { LiveEvent } from '../live/stream.ts'
import { href, pageLink, param, route, setParams } from '../route.ts'
import { seemsAllowed } from '../session.ts'
import { Badge, Button, CopyMenu, Empty, Notice, ProblemNotice, Search, Tabs, View } from '../ui/basic.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { type Action, askChange, Results } from './keys/changes.tsx'
import { judge, type KeyItem, readList } from './keys/compare.ts'
import { ComparePane, VERDICTS } from './keys/compare-pane.tsx'
import { Details, STATES } from './keys/details.tsx'

interface Keys {
  items: readonly KeyItem[]
  /** The names of all keys. */
  names: ReadonlySet<string>
  hashType: string
}

const nameOf = ({ state, id }: KeyItem): string => `${state}/${id}`

const PAGE = 5000
const STATE_NAMES = ['pending', 'accepted', 'rejected', 'denied'] as const
const ACTIONS: readonly Action[] = ['accept', 'reject', 'delete']

/** Read all keys, with fingerprints if the user may see them. */
async function load(signal: AbortSignal): Promise<Answer<Keys>> {
  const fingerprints = seemsAllowed('wheel', 'key.finger') ? ('true' as const) : ('false' as const)
  const items: KeyItem[] = []
  let [number, hashType] = [0, '']
  await readAll<KeyItem>(
    async (cursor) => {
      const page = await read('/v1/keys', {
        query: { fingerprints, limit: PAGE, ...(cursor !== undefined && { cursor }) },
        signal,
      })
      hashType = page.data.hashType
      return page
    },
    (more, seen) => {
      items.push(...more)
      // events after the first page may concern any of the keys
      number ||= seen
    },
  )
  return { data: { items, names: new Set(items.map(nameOf)), hashType }, number }
}

const ACTS: Readonly<Record<string, KeyItem['state']>> = {
  accept: 'accepted',
  pend: 'pending',
  reject: 'rejected',
  denied: 'denied',
}

/** Keys are read again when one changes. A minion that signs in with a key that is known changes nothing. */
function apply({ names }: Keys, { tag, data }: LiveEvent): 'reload' | undefined {
  if (tag === 'salt/key') return 'reload'
  if (tag !== 'salt/auth') return undefined
  return names.has(`${ACTS[String(data['act'])]}/${data['id']}`) ? undefined : 'reload'
}

/** The selection in the address: `*` for all that is shown, or names of keys. */
function useSelection(shown: readonly KeyItem[]) {
  const text = param('selected')
  const names = useMemo(() => new Set(text.split(',')), [text])
  const has = (key: KeyItem): boolean => text === '*' || names.has(nameOf(key))
  const chosen = useMemo(() => (text === '' ? [] : shown.filter(has)), [shown, text])
  const set = (keys: readonly KeyItem[]): void => setParams({ selected: keys.map(nameOf).join(',') })
  return {
    has,
    chosen,
    isAll: shown.length > 0 && chosen.length === shown.length,
    toggle: (key: KeyItem) => set(has(key) ? chosen.filter((each) => each !== key) : [...chosen, key]),
    toggleAll: () => setParams({ selected: chosen.length === shown.length ? null : '*' }),
    clear: () => setParams({ selected: null }),
  }
}

const refusalOf = (action: Action): string | undefined =>
  seemsAllowed('wheel', `key.${action}`) ? undefined : `You need the right to call the wheel function key.${action}`

function Actions({
  chosen,
  clear,
  waiting,
}: {
  chosen: readonly KeyItem[]
  clear(): void
  waiting: readonly KeyItem[]
}) {
  if (chosen.length === 0) {
    if (waiting.length === 0) return null
    return (
      <Button icon="check" refusal={refusalOf('accept')} onClick={() => askChange('accept', waiting, { isAll: true })}>
        Accept all {count(waiting.length)} waiting
      </Button>
    )
  }
  return (
    <div class="row" role="group" aria-label="What to do with the selected keys">
      <span class="muted">{counted(chosen.length, 'key')} selected</span>
      {ACTIONS.map((action) => {
        const keys = chosen.filter(({ state }) => state !== `${action}ed`)
        return (
          <Button
            key={action}
            kind={action === 'accept' ? 'primary' : 'danger'}
            disabled={keys.length === 0}
            refusal={refusalOf(action)}
            onClick={() => askChange(action, keys, { done: clear })}
          >
            {`${action[0]!.toUpperCase()}${action.slice(1)}`}
          </Button>
        )
      })}
      <Button kind="plain" onClick={clear}>
        Clear
      </Button>
    </div>
  )
}

type Selection = ReturnType<typeof useSelection>

function columnsOf(
  selection: Selection,
  verdictOf: ((key: KeyItem) => keyof typeof VERDICTS) | undefined,
): Column<KeyItem>[] {
  return [
    {
      key: 'select',
      title: (
        <input
          type="checkbox"
          aria-label="Select all keys that are shown"
          checked={selection.isAll}
          onChange={selection.toggleAll}
        />
      ),
      width: '20px',
      cell: (key) => (
        <input
          type="checkbox"
          aria-label={`Select the key of ${key.id}`}
          checked={selection.has(key)}
          onChange={() => selection.toggle(key)}
        />
      ),
    },
    { key: 'id', title: 'Minion', width: 'minmax(110px, 1fr)', canSort: true, cell: ({ id }) => id },
    {
      key: 'state',
      title: 'State',
      width: '90px',
      canSort: true,
      cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].word}</Badge>,
    },
    ...(verdictOf
      ? [
          {
            key: 'list',
            title: 'List',
            width: '90px',
            cell: (key: KeyItem) => {
              const { tone, text } = VERDICTS[verdictOf(key)]
              return <Badge tone={tone}>{text}</Badge>
            },
          },
        ]
      : []),
    {
      key: 'fingerprint',
      title: 'Fingerprint (SHA-256)',
      width: 'minmax(80px, 3fr)',
      cell: ({ sha256 }) =>
        sha256 ? (
          <span class="mono" title={sha256}>
            {sha256}
          </span>
        ) : (
          <span class="muted">–</span>
        ),
    },
  ]
}

function sorted(keys: readonly KeyItem[], sort: string): readonly KeyItem[] {
  const by = sort.replace('-', '') === 'state' ? ({ state, id }: KeyItem) => `${state} ${id}` : ({ id }: KeyItem) => id
  const order = sort.startsWith('-') ? -1 : 1
  return keys.toSorted((a, b) => (by(a) < by(b) ? -order : order))
}

function StateTabs({ items }: { items: readonly KeyItem[] }) {
  const params = Object.fromEntries(route.value.query)
  const numbers = useMemo(() => {
    const found = new Map<string, number>()
    for (const { state } of items) found.set(state, (found.get(state) ?? 0) + 1)
    return found
  }, [items])
  return (
    <Tabs
      tabs={[
        [
          '',
          <>
            All <span class="muted">{count(items.length)}</span>
          </>,
        ],
        ...STATE_NAMES.map(
          (name) =>
            [
              name,
              <>
                {STATES[name].title} <span class="muted">{count(numbers.get(name) ?? 0)}</span>
              </>,
            ] as const,
        ),
      ]}
      active={param('state')}
      href={(state) => href('keys', { ...params, state, selected: null })}
    />
  )
}

/** The keys that the filters of the address let through, in order. */
function useShown(items: readonly KeyItem[], pasted: string) {
  const [q, state, sort, verdict] = [param('q').toLowerCase(), param('state'), param('sort', 'id'), param('list')]
  const isComparing = param('compare') !== ''
  const list = useMemo(() => readList(pasted), [pasted])
  const verdictOf = isComparing && list.entries.size > 0 ? (key: KeyItem) => judge(key, list) : undefined
  const shown = useMemo(() => {
    const found = items.filter(
      (key) =>
        (state === '' || key.state === state) &&
        (q === '' || key.id.toLowerCase().includes(q) || (key.sha256 ?? '').startsWith(q)) &&
        (verdict === '' || !verdictOf || verdictOf(key) === verdict),
    )
    return sorted(found, sort)
  }, [items, q, state, sort, verdict, isComparing, list])
  return { shown, verdictOf }
}

const NoKeys = ({ isAny }: { isAny: boolean }) =>
  isAny ? (
    <Empty title="No key fits the filters">
      <a href={href('keys')}>Show all keys</a>
    </Empty>
  ) : (
    <Empty title="No minion has come yet">
      <p>
        Set <code>master</code> in the configuration of a minion to this machine and start it. Its key appears here.
      </p>
    </Empty>
  )

export default function KeysView() {
  const { data, problem, isLoading, reload } = useResource(load, [], { apply, reloadMs: 1500 })
  const [pasted, paste] = useState('')
  const items = data?.items ?? []
  const { shown, verdictOf } = useShown(items, pasted)
  const selection = useSelection(shown)
  const columns = columnsOf(selection, verdictOf)
  const opened = items.find((key) => nameOf(key) === param('key'))
  const waiting = useMemo(() => items.filter(({ state }) => state === 'pending'), [items])
  const isComparing = param('compare') !== ''
  return (
    <View
      title="Keys"
      full
      isLoading={isLoading && !data}
      actions={
        <>
          {!isComparing && <Button onClick={() => setParams({ compare: 1 })}>Compare with a list</Button>}
          <CopyMenu
            items={[
              ['Command line', () => (shown.length === 1 ? `salt-key -f ${shellWord(shown[0]!.id)}` : 'salt-key -F')],
              ['Ids and fingerprints', () => shown.map(({ id, sha256 }) => `${id} ${sha256 ?? ''}`).join('\n')],
              ['JSON', () => JSON.stringify(shown, null, 2)],
              ['Link', pageLink],
            ]}
          />
        </>
      }
    >
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      {data && !seemsAllowed('wheel', 'key.finger') && (
        <Notice>Fingerprints need the right to call the wheel function key.finger.</Notice>
      )}
      {isComparing && <ComparePane keys={items} text={pasted} onText={paste} refusal={refusalOf('accept')} />}
      <Results />
      <StateTabs items={items} />
      <div class="toolbar">
        <Search value={param('q')} label="Filter by id or start of the fingerprint" onInput={(q) => setParams({ q })} />
        <Actions chosen={selection.chosen} clear={selection.clear} waiting={waiting} />
      </div>
      {data && (
        <Table
          label="Keys"
          rows={shown}
          columns={columns}
          rowKey={nameOf}
          sort={param('sort', 'id')}
          onSort={(sort) => setParams({ sort })}
          onOpen={(key) => setParams({ key: nameOf(key) }, { replace: false })}
          active={param('key')}
          fill
          empty={<NoKeys isAny={items.length > 0} />}
        />
      )}
      {opened && <Details item={opened} hashType={data?.hashType ?? 'sha256'} refusal={refusalOf} />}
    </View>
  )
}
