// Fires events, and shows the events of the journal.
import { type Dict, dictFrom, failure, fnmatch, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type BusMessage, defineRunner, type MasterContext, masterFn, option } from '../../../sdk/mod.ts'
import { beginningOf } from '../common/event-place.ts'
import { givenNumber } from '../common/given.ts'

const dataOf = (data: Value): Dict => (isDict(data) ? data : truthy(data) ? new Map([['data', data]]) : new Map())

const tagmatch = arg.text('Glob of tags', { default: '*' })
const since = arg.text('First event: an event number, a time, or an age such as `10m`', { optional: true })

/** Return the last matching events, oldest first. */
function lastEvents(ctx: MasterContext, tagmatch: string, since: string | null, limit: number): BusMessage[] {
  const filter = (tag: string): boolean => fnmatch(tag, tagmatch)
  const found: BusMessage[] = []
  if (since !== null) {
    for (const event of ctx.journal().from(beginningOf(since), { filter })) {
      found.push(event)
      if (found.length > limit) found.shift()
    }
    return found
  }
  for (const event of ctx.journal().back({ filter })) {
    if (found.length >= limit) break
    found.push(event)
  }
  return found.reverse()
}

const timeOf = ({ data }: BusMessage): string => str(data.get('_stamp') ?? '').slice(0, 23)

export default defineRunner({
  name: 'event',
  doc: 'Fire events on the bus of the master, and show the events of its journal.',
  functions: {
    send: masterFn({
      doc: 'Fire an event on the bus of the master.',
      args: {
        tag: arg.text('Tag of the event'),
        data: arg.any('Data of the event: a dict; another value is sent as `data`', { optional: true }),
      },
      examples: [`salt-run event.send my/custom/event '{"foo": "bar"}'`],
      run: async (ctx, { tag, data }) => {
        await ctx.fireForCaller(tag, dataOf(data))
        return true
      },
    }),
    list: masterFn({
      doc: 'Return the time and tag of the last events of the journal, by event number.',
      args: { tagmatch, since, limit: arg.any('Greatest number of events: a number, or text of one', { default: 50 }) },
      examples: ['salt-run event.list', "salt-run event.list 'salt/job/*' since=1h limit=500"],
      run: (ctx, { tagmatch, since, limit }) => {
        const events = lastEvents(ctx, tagmatch, since, givenNumber('limit', limit))
        return new Map(events.map((event): [Value, Value] => [event.number ?? 0, `${timeOf(event)} ${event.tag}`]))
      },
    }),
    show: masterFn({
      doc: 'Return an event of the journal with its data, and its origin: the sender, and the proof of the sender.',
      args: { number: arg.any('Event number: a number, or text of one') },
      examples: ['salt-run event.show 1042'],
      run: (ctx, { number }) => {
        const wanted = givenNumber('number', number)
        const [event] = ctx.journal().from({ number: wanted }, { upTo: wanted })
        if (!event) throw failure(`There is no event ${str(number)} in the journal`)
        const origin = dictFrom(event.origin)
        const shown = new Map<Value, Value>([['number', event.number]]).set('tag', event.tag)
        return shown.set('origin', origin).set('data', event.data)
      },
    }),
    count: masterFn({
      doc: 'Count the events of the journal by tag, without the job ids and minion ids in tags.',
      args: { tagmatch, since },
      examples: ['salt-run event.count', "salt-run event.count 'salt/job/*' since=10m"],
      run: (ctx, { tagmatch, since }) => {
        const counts = new Map<string, number>()
        const from = since === null ? { number: 0 } : beginningOf(since)
        for (const tag of ctx.journal().tags(from)) {
          if (!fnmatch(tag, tagmatch)) continue
          const kind = kindOf(tag)
          counts.set(kind, (counts.get(kind) ?? 0) + 1)
        }
        return new Map<Value, Value>([...counts].sort(([, one], [, other]) => other - one))
      },
    }),
    journal: masterFn({
      doc: 'Return the extent of the journal: first and last event, start time, files and bytes.',
      examples: ['salt-run event.journal'],
      run: (ctx) => {
        const { files, bytes, first, last, from } = ctx.journal().extent()
        return new Map<Value, Value>([['first', first ?? null]])
          .set('last', last ?? null)
          .set('since', from === undefined ? null : new Date(from).toISOString())
          .set('files', files)
          .set('bytes', bytes)
          .set('folder', `${option(ctx.opts, 'cachedir')}/events`)
      },
    }),
  },
})

/** Replace the job ids and minion ids in a tag. */
function kindOf(tag: string): string {
  return tag
    .replace(/\d{20}(?:_\d+)?/g, '<jid>')
    .replace(/^(salt\/(?:minion|beacon|syndic|cloud)|minion\/refresh|resource\/refresh)\/[^/]+/, '$1/<id>')
    .replace(/^(salt\/job\/<jid>\/(?:ret|start|prog|sub))\/[^/]+.*/, '$1/<id>')
}
