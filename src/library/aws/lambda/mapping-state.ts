// Event source mappings of Lambda as states.
import { type Dict, isDict, str, truthy } from '../../../data/mod.ts'
import { arg, changed, ensure, failed, foreseen, type StateReturn, settled, state } from '../../../sdk/mod.ts'
import { LOGIN } from '../common/login.ts'
import { errorOf } from '../common/state-calls.ts'
import { ask, type Difference, difference } from './state-calls.ts'

const MAPPING = {
  name: arg.text('Name of the state'),
  EventSourceArn: arg.text('ARN of the stream or queue'),
  FunctionName: arg.text('Name of the function'),
}

/** Return whether an ARN is that of a function, which is given by its name, account and name, or ARN. */
const isFunction = (arn: string, name: string): boolean =>
  arn === name || arn.endsWith(`:function:${name}`) || arn.replace(':function:', ':').endsWith(`:${name}`)

/** The differences, and their mapping. */
interface Gap {
  id: string
  rest: Difference
}

/** Return the differences of a mapping; undefined if there are none. */
function gapOf(mapping: Dict, FunctionName: string, BatchSize: number): Gap | undefined {
  const arn = str(mapping.get('FunctionArn') ?? '')
  const wanted = isFunction(arn, FunctionName) ? { BatchSize } : { BatchSize, FunctionArn: FunctionName }
  const rest = difference(mapping, wanted)
  return rest && { id: str(mapping.get('UUID') ?? ''), rest }
}

/** Report with the id of the mapping as the name, as far as the id is known. */
const named = (report: StateReturn, id: string | undefined): StateReturn =>
  id === undefined ? report : { ...report, name: id }

export const event_source_mapping_present = state({
  doc: 'Ensure that the records of a stream or queue call a function.',
  args: {
    ...MAPPING,
    StartingPosition: arg.text('Where to begin: `TRIM_HORIZON` or `LATEST`; empty for a queue'),
    Enabled: arg.flag('Whether records call the function; a difference alone changes nothing', { default: true }),
    BatchSize: arg.count('How many records a call has at most', { default: 100 }),
    ...LOGIN,
  },
  run: async (ctx, given) => {
    const { name, EventSourceArn, FunctionName, StartingPosition, Enabled, BatchSize, ...login } = given
    const ends = { EventSourceArn, FunctionName }
    const present = '\nEvent source mapping is present.'
    let id: string | undefined
    const report = await ensure<'missing' | Gap>(ctx, {
      name,
      look: async () => {
        const found = await ask(ctx, 'describe_event_source_mapping', login, ends)
        if (found.has('error')) return failed(`Failed to create event source mapping: ${errorOf(found)}.`)
        const mapping = found.get('event_source_mapping') ?? null
        return isDict(mapping) ? (gapOf(mapping, FunctionName, BatchSize) ?? settled(present)) : 'missing'
      },
      foresee: (gap) =>
        gap === 'missing'
          ? `Event source mapping ${FunctionName} is set to be created.`
          : foreseen(`Event source mapping ${gap.id} set to be modified.`, { ...gap.rest }),
      act: async (gap) => {
        if (gap === 'missing') {
          const made = await ask(ctx, 'create_event_source_mapping', login, {
            ...ends,
            ...{ StartingPosition, Enabled, BatchSize },
          })
          if (!truthy(made.get('created') ?? false))
            return failed(`Failed to create event source mapping: ${errorOf(made)}.`)
          id = str(made.get('id') ?? '')
          const mapping = await ask(ctx, 'describe_event_source_mapping', login, { UUID: id })
          const changes = { old: { event_source_mapping: null }, new: mapping }
          return changed(`Event source mapping ${id} created.`, changes)
        }
        const change = { UUID: gap.id, FunctionName, Enabled, BatchSize }
        const done = await ask(ctx, 'update_event_source_mapping', login, change)
        return truthy(done.get('updated') ?? false)
          ? changed(`${present}\nEvent source mapping to be modified`, { ...gap.rest })
          : failed(`Failed to update mapping: ${errorOf(done)}.`)
      },
    })
    return named(report, id)
  },
})

export const event_source_mapping_absent = state({
  doc: 'Ensure that the records of a stream or queue do not call a function.',
  args: { ...MAPPING, ...LOGIN },
  run: async (ctx, { name, EventSourceArn, FunctionName, ...login }) => {
    const ends = { EventSourceArn, FunctionName }
    let id: string | undefined
    const report = await ensure<Dict>(ctx, {
      name,
      look: async () => {
        const found = await ask(ctx, 'describe_event_source_mapping', login, ends)
        if (found.has('error')) return failed(`Failed to delete event source mapping: ${errorOf(found)}.`)
        const mapping = found.get('event_source_mapping') ?? null
        // AWS shows a mapping for some time while it deletes it
        if (!isDict(mapping) || mapping.get('State') === 'Deleting')
          return settled('Event source mapping does not exist.')
        id = str(mapping.get('UUID') ?? '')
        return found
      },
      foresee: () => 'Event source mapping is set to be removed.',
      act: async (found) => {
        const gone = await ask(ctx, 'delete_event_source_mapping', login, ends)
        return truthy(gone.get('deleted') ?? false)
          ? changed('Event source mapping deleted.', { old: found, new: { event_source_mapping: null } })
          : failed(`Failed to delete event source mapping: ${errorOf(gone)}.`)
      },
    })
    return named(report, id)
  },
})
