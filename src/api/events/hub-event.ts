// An event for readers of the API. Its data is converted to JSON text once, however many readers there are.
import { type Log, shownText, toError } from '../../base/mod.ts'
import { type BusEvent, type Origin, originDict } from '../../bus/mod.ts'
import { type Dict, dumpJson, loadJson, str, type Value } from '../../data/mod.ts'
import { jidIn } from '../job-watch.ts'
import { toJson } from '../v1/json.ts'

/** The properties of an event that a record form uses. */
export interface ShownEvent {
  readonly number: number
  readonly tag: string
  /** `{"data": …, "tag": …}`, as Salt writes it. */
  readonly saltJson: string
  /** `{"number": …, "tag": …, "data": …, "origin": …, "stamp": …}`. */
  readonly json: string
}

/** Writes the record of an event in one kind of stream. */
export type RecordForm = (event: ShownEvent) => string

/** JSON as Salt writes it: no escapes beyond ASCII, and text in place of values that JSON has no form for. */
const DUMPED = {
  ensureAscii: false,
  skipKeys: true,
  default: (value: Value): Value => (value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : str(value)),
}

const NOT_JSON = /\b(?:NaN|Infinity)\b/

/** Memory of an event beside its data, in bytes. */
const OVERHEAD = 500

export class HubEvent implements ShownEvent {
  readonly number: number
  readonly tag: string
  readonly origin: Origin
  /** The job or call that the event belongs to. */
  readonly jid: string | undefined
  readonly stamp: string
  private readonly data: string
  /** The last requested record: concurrent readers mostly use the same form. */
  private known: { form: RecordForm; record: string } | undefined

  constructor(event: BusEvent, log: Log) {
    this.number = event.number
    this.tag = event.tag
    this.origin = event.origin
    this.jid = jidIn(event.tag)
    this.stamp = str(event.fields.get('_stamp') ?? '')
    this.data = dataText(event, log)
  }

  /** The memory that the event takes, in bytes, as a bound counts it. */
  get size(): number {
    return this.data.length * 2 + OVERHEAD
  }

  get saltJson(): string {
    return `{"data": ${this.data}, "tag": ${JSON.stringify(this.tag)}}`
  }

  get json(): string {
    const { number, tag, origin, stamp } = this
    const from = dumpJson(originDict(origin), DUMPED)
    return `{"number": ${number}, "tag": ${JSON.stringify(tag)}, "data": ${this.strictData}, "origin": ${from}, "stamp": ${JSON.stringify(stamp)}}`
  }

  /** The data without NaN and infinities, which Python writes and JSON does not have. */
  private get strictData(): string {
    return NOT_JSON.test(this.data) ? JSON.stringify(toJson(this.fields)) : this.data
  }

  /** The data of the event, read again from its text; for readers that digest it. */
  get fields(): Dict {
    return loadJson(this.data) as Dict
  }

  /** Return the record of a form. */
  record(form: RecordForm): string {
    if (this.known?.form !== form) this.known = { form, record: form(this) }
    return this.known.record
  }
}

function dataText(event: BusEvent, log: Log): string {
  try {
    return dumpJson(event.data, DUMPED)
  } catch (error) {
    log('error', `The API shows event ${shownText(event.tag)} without its data: ${toError(error).message}`)
    return '{}'
  }
}
