// The events of the master: live, filtered, and back through the journal.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { read } from '../api/client.ts'
import { count, counted } from '../format.ts'
import { connection, type LiveEvent, lastNumber, missed, stream } from '../live/stream.ts'
import { href, param, setParams } from '../route.ts'
import { seemsAllowed } from '../session.ts'
import { Badge, Button, Empty, Notice, ProblemNotice, Search, Time, View } from '../ui/basic.tsx'
import { isNarrow } from '../ui/narrow.ts'
import { type Column, Table } from '../ui/table.tsx'
import { EventPane } from './events/detail.tsx'
import { briefData, originWord, senderText } from './events/facts.ts'
import { readOriginFilter, readTagFilter } from './events/filter.ts'
import { FireDialog } from './events/fire.tsx'
import { EventLog, isGap, type LogRow, type LogState } from './events/log.ts'
import './events/events.css'

const PAGE = 200
/** A filter of this page alone looks at more events for the few that match. */
const WIDE_PAGE = 1000
const TYPING_MS = 250

/** A value that follows another once that has stood still for a moment. */
function useSettled<T>(value: T): T {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

function openLog(tagText: string, originText: string): EventLog {
  const tag = readTagFilter(tagText)
  const origin = readOriginFilter(originText)
  return new EventLog({
    fits: (event) => tag.fits(event.tag) && origin.fits(originWord(event.origin)),
    load: async (place) => {
      const limit = tagText !== '' && tag.glob === undefined ? WIDE_PAGE : PAGE
      const { data } = await read('/v1/events', {
        query: { format: 'json', limit, ...place, ...given('tag', tag.glob), ...given('origin', origin.glob) },
      })
      return data
    },
  })
}

const given = <N extends string>(name: N, value: string | undefined): Partial<Record<N, string>> =>
  value === undefined ? {} : ({ [name]: value } as Record<N, string>)

/** Follow the events that match the typed filter. */
function useLog(tagText: string, originText: string): [EventLog, LogState] {
  const log = useMemo(() => openLog(tagText, originText), [tagText, originText])
  useEffect(() => {
    let known = missed.peek().at(-1)
    const endings = [
      stream.listen((events) => log.add(events)),
      missed.subscribe((gaps) => {
        const last = gaps.at(-1)
        if (last && last !== known) log.miss(last)
        known = last
      }),
      stream.whenJumped(() => void log.begin(lastNumber.peek())),
      connection.subscribe((now) => {
        if (now === 'live' && log.state.peek().problem?.isPassing) void log.begin(lastNumber.peek())
      }),
    ]
    void log.begin(lastNumber.peek())
    return () => {
      for (const end of endings) end()
    }
  }, [log])
  return [log, log.state.value]
}

const cell = (row: LogRow, show: (event: LiveEvent) => preact.ComponentChildren): preact.ComponentChildren =>
  isGap(row) ? null : show(row)

const COLUMNS: ReadonlyArray<Column<LogRow>> = [
  {
    key: 'time',
    title: 'Time',
    width: '96px',
    cell: (row) => cell(row, ({ stamp }) => <Time at={stamp} />),
  },
  {
    key: 'tag',
    title: 'Tag',
    width: 'minmax(180px, 3fr)',
    cell: (row) =>
      isGap(row) ? (
        <Badge
          tone="changed"
          title="The journal dropped them, or their numbers were left out when the master was killed"
        >
          {row.first === row.last ? `Event ${row.first} is` : `Events ${row.first} to ${row.last} are`} not in the
          journal
        </Badge>
      ) : (
        <span class="mono" title={row.tag}>
          {row.tag}
        </span>
      ),
  },
  {
    key: 'sender',
    title: 'Sender',
    width: 'minmax(90px, 1fr)',
    cell: (row) => cell(row, ({ origin }) => <span title={originWord(origin)}>{senderText(origin)}</span>),
  },
  {
    key: 'data',
    title: 'Data',
    width: 'minmax(0, 3fr)',
    cell: (row) => cell(row, ({ data }) => <span class="muted small">{briefData(data)}</span>),
  },
  {
    key: 'number',
    title: 'Number',
    width: '76px',
    isRight: true,
    cell: (row) => cell(row, ({ number }) => <span class="muted">{number}</span>),
  },
  {
    key: 'why',
    title: <span class="hidden-text">Causes and consequences</span>,
    width: '40px',
    cell: (row) =>
      cell(row, ({ number }) => (
        <a href={href('why', { what: number })} aria-label={`Why event ${number}`}>
          Why
        </a>
      )),
  },
]

/** Columns beside the pane of an event, and on a phone. */
const NARROW = new Set(['time', 'tag', 'why'])

const rowKey = (row: LogRow): string => (isGap(row) ? `gap ${row.first}` : String(row.number))

function Filters({ isPaused, problem }: { isPaused: boolean; problem: string | undefined }) {
  return (
    <div class="toolbar">
      <Search value={param('tag')} label="Part of a tag, glob, or /expression/" onInput={(tag) => setParams({ tag })} />
      <input
        class="input"
        type="search"
        aria-label="Sender"
        placeholder="Sender: minion:web*"
        list="event-senders"
        autocomplete="off"
        value={param('origin')}
        onInput={(event) => setParams({ origin: event.currentTarget.value })}
      />
      <datalist id="event-senders">
        {['master', 'minion', 'user', 'syndic', 'external'].map((kind) => (
          <option key={kind} value={kind} />
        ))}
      </datalist>
      <Button
        icon={isPaused ? 'run' : 'pause'}
        aria-pressed={isPaused}
        onClick={() => setParams({ pause: isPaused ? null : 1 })}
      >
        {isPaused ? 'Go on' : 'Pause'}
      </Button>
      {problem !== undefined && (
        <span class="tone-failed small" role="alert">
          {problem}
        </span>
      )}
    </div>
  )
}

const NoEvents = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No event matches">
      <Button onClick={() => setParams({ tag: null, origin: null })}>Clear the filter</Button>
    </Empty>
  ) : (
    <Empty title="No events yet">
      <p>Events appear here as they are fired: jobs, returns, keys, beacons and your own.</p>
    </Empty>
  )

/** The status: how many events are shown, and how many wait. */
function Standing({ log, state, scrollUp }: { log: EventLog; state: LogState; scrollUp(): void }) {
  return (
    <div class="row spread small muted event-standing">
      <span>
        {counted(state.rows.length, 'event')} shown
        {state.isHeld && `, paused, ${count(state.waiting)} new`}
      </span>
      {state.isHeld && state.waiting > 0 && (
        <Button small kind="plain" icon="up" onClick={scrollUp}>
          Show {counted(state.waiting, 'new event')}
        </Button>
      )}
      {state.previous !== null && !state.isLoading && (
        <Button small kind="plain" onClick={() => void log.earlier()}>
          Load earlier events
        </Button>
      )}
    </div>
  )
}

/** Hold the log while the rows are scrolled or the page says so; the newest row is at the top. */
function useHolding(log: EventLog, isPaused: boolean) {
  const [isScrolled, scroll] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isPaused || isScrolled) log.hold()
    else log.release()
  }, [log, isPaused, isScrolled])
  const hear = (event: Event): void => scroll((event.target as HTMLElement).scrollTop > 0)
  const scrollUp = (): void => {
    box.current?.querySelector('.table')?.scrollTo({ top: 0 })
    scroll(false)
    setParams({ pause: null })
    log.release()
  }
  return { box, hear, scrollUp }
}

export default function Events() {
  const [tagText, originText] = [useSettled(param('tag')), useSettled(param('origin'))]
  const [log, state] = useLog(tagText, originText)
  const isPaused = param('pause') !== ''
  const { box, hear, scrollUp } = useHolding(log, isPaused)
  const chosen = /^\d{1,15}$/.test(param('event')) ? Number(param('event')) : undefined
  const columns = useMemo(
    () => (isNarrow.value || chosen !== undefined ? COLUMNS.filter(({ key }) => NARROW.has(key)) : COLUMNS),
    [isNarrow.value, chosen !== undefined],
  )
  const known = state.rows.find((row): row is LiveEvent => !isGap(row) && row.number === chosen)
  const mayFire = seemsAllowed('runner', 'event.send')
  return (
    <View
      title="Events"
      full
      isLoading={state.isLoading && state.rows.length === 0}
      actions={
        <Button
          icon="plus"
          refusal={mayFire ? undefined : 'This needs the right to call the runner event.send'}
          onClick={() => setParams({ fire: 1 })}
        >
          Fire an event
        </Button>
      }
    >
      <Filters isPaused={isPaused} problem={readTagFilter(param('tag')).problem} />
      {state.problem &&
        (state.problem.status === 409 ? (
          <Notice>{state.problem.message}. The page shows what comes from now on.</Notice>
        ) : (
          <ProblemNotice problem={state.problem} retry={() => log.begin(lastNumber.peek())} />
        ))}
      <div class={chosen === undefined ? 'event-split' : 'event-split open'} ref={box} onScrollCapture={hear}>
        <Table
          label="Events"
          rows={state.rows}
          columns={columns}
          rowKey={rowKey}
          active={chosen === undefined ? undefined : String(chosen)}
          onOpen={(row) => !isGap(row) && setParams({ event: row.number === chosen ? null : row.number })}
          onEnd={() => log.state.peek().isHeld && void log.earlier()}
          empty={state.isLoading ? undefined : <NoEvents isFiltered={tagText !== '' || originText !== ''} />}
          fill
        />
        {chosen !== undefined && <EventPane number={chosen} known={known} />}
      </div>
      <Standing log={log} state={state} scrollUp={scrollUp} />
      {param('fire') !== '' && (
        <FireDialog tag={param('fire') === '1' ? '' : param('fire')} onClose={() => setParams({ fire: null })} />
      )}
    </View>
  )
}
