// Opens the journal of a master's events by its options, and the bus that continues its numbers.
import { guarded, type Log } from '../base/mod.ts'
import {
  EventBus,
  EventJournal,
  hasJournal,
  JournalReader,
  journalFolder,
  masterOrigin,
  type PastEvents,
} from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { JobStore, StorageWatch } from '../store/mod.ts'

const TIDY_MS = 600_000

export interface Journaled {
  bus: EventBus
  /** Write every event so far to the journal; resolves to false if the disk does not accept them yet. */
  kept(): Promise<boolean>
  past: PastEvents
  /** Undefined without a journal. */
  journal: EventJournal | undefined
  close(): Promise<void>
}

export function journaledBus(opts: Dict, jobs: JobStore, log: Log, storage: StorageWatch): Journaled {
  const own = masterOrigin(option(opts, 'id') || 'master')
  const mostBytes = option(opts, 'max_event_size')
  if (!hasJournal(opts)) {
    const bus = new EventBus(log, 0, own, mostBytes)
    return { bus, kept: async () => true, past: () => [], journal: undefined, close: async () => {} }
  }
  const journal = new EventJournal({
    folder: journalFolder(opts),
    log,
    failed: (error, path) => storage.failed(error, path),
    maxAgeSeconds: option(opts, 'event_journal_max_age'),
    maxBytes: option(opts, 'event_journal_max_size'),
    inlineBytes: option(opts, 'event_journal_inline_size'),
  })
  const bus = new EventBus(log, journal.last, own, mostBytes)
  const stop = bus.listen((event) => journal.take(event))
  const tidying = setInterval(
    guarded(log, 'Tidying the journal', () => journal.prune()),
    TIDY_MS,
  )
  tidying.unref()
  return {
    bus,
    journal,
    kept: () => journal.flush(),
    past: (from, upTo) => new JournalReader(journal.folder, () => jobs).framed(from, upTo),
    close: async () => {
      stop()
      clearInterval(tidying)
      await journal.close()
    },
  }
}
