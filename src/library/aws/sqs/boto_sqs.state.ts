// Queues of SQS as states.
import {
  type Dict,
  dumpJson,
  equals,
  isDict,
  splitLines,
  str,
  truthy,
  unifiedDiff,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  dumpYaml,
  ensure,
  failed,
  foreseen,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { LOGIN, loginOf } from '../common/login.ts'
import { parsed } from '../common/structured.ts'

const QUEUE = { name: arg.text('Name of the queue'), ...LOGIN }

type Queue = Bound<typeof QUEUE>

async function ask(
  ctx: StateContext,
  fun: string,
  { name, ...login }: Queue,
  given: Record<string, Value> = {},
): Promise<Dict> {
  return (await ctx.call(`boto_sqs.${fun}`, [], { name, ...given, ...loginOf(login) })) as Dict
}

/** Return the attributes that differ. Policies are compared as data. */
function differing(wanted: Dict, present: Dict): Dict {
  const different: Dict = new Map()
  for (const [name, value] of wanted) {
    const now = present.get(name) ?? null
    if (name === 'Policy') {
      if (!equals(parsed(now), parsed(value))) different.set(name, dumpJson(parsed(value), { sortKeys: true }))
    } else if (str(now) !== str(value)) different.set(name, value)
  }
  return different
}

interface AttributeGap {
  set: Dict
  diff: string
}

async function gapOf(wanted: Dict, present: Dict): Promise<AttributeGap | undefined> {
  const set = differing(wanted, present)
  if (set.size === 0) return undefined
  const lines = async (dict: Dict): Promise<string[]> =>
    splitLines(await dumpYaml(dict, { default_flow_style: false, sort_keys: false }), true)
  return { set, diff: unifiedDiff(await lines(present), await lines(new Map([...present, ...set]))).join('') }
}

type Gap = 'missing' | AttributeGap

export default defineState({
  name: 'boto_sqs',
  doc: 'Manage queues of SQS.',
  functions: {
    present: state({
      doc: 'Ensure that a queue exists, with the given attributes.',
      args: {
        name: QUEUE.name,
        attributes: arg.any('Dict of attributes, or JSON of one', { optional: true }),
        ...LOGIN,
      },
      run: (ctx, { attributes, ...queue }) => {
        const { name } = queue
        const wanted = parsed(attributes)
        return ensure<Gap>(ctx, {
          name,
          look: async () => {
            const found = await ask(ctx, 'exists', queue)
            if (found.has('error')) return failed([str(found.get('error')!)])
            if (!truthy(found.get('result') ?? false)) return 'missing'
            if (!isDict(wanted) || wanted.size === 0) return settled([`SQS queue ${name} present.`])
            const present = await ask(ctx, 'get_attributes', queue)
            if (present.has('error')) {
              return failed([
                `SQS queue ${name} present.`,
                `Failed to get queue attributes: ${str(present.get('error')!)}`,
              ])
            }
            const gap = await gapOf(wanted, present.get('result') as Dict)
            return gap ?? settled([`SQS queue ${name} present.`, 'Queue attributes already set correctly.'])
          },
          foresee: (gap) => {
            if (gap === 'missing')
              return foreseen([`SQS queue ${name} is set to be created.`], { old: null, new: name })
            const names = [...gap.set.keys()].map(str).join(', ')
            const comment = `Attribute(s) ${names} set to be updated:\n${gap.diff}`
            return foreseen([`SQS queue ${name} present.`, comment], { attributes: { diff: gap.diff } })
          },
          act: async (gap) => {
            if (gap === 'missing') {
              const made = await ask(ctx, 'create', queue, { attributes: wanted })
              return made.has('error')
                ? failed([`Failed to create SQS queue ${name}: ${str(made.get('error')!)}`])
                : changed([`SQS queue ${name} created.`], { old: null, new: name })
            }
            const set = await ask(ctx, 'set_attributes', queue, { attributes: gap.set })
            const present = `SQS queue ${name} present.`
            if (set.has('error')) return failed([present, `Failed to set queue attributes: ${str(set.get('error')!)}`])
            const names = [...gap.set.keys()].map(str).join(', ')
            return changed([present, `Updated SQS queue attribute(s) ${names}.`], { attributes: { diff: gap.diff } })
          },
        })
      },
    }),
    absent: state({
      doc: 'Ensure that a queue does not exist.',
      args: QUEUE,
      run: (ctx, queue) => {
        const { name, region } = queue
        return ensure(ctx, {
          name,
          look: async () => {
            const found = await ask(ctx, 'exists', queue)
            if (found.has('error')) return failed(str(found.get('error')!))
            return truthy(found.get('result') ?? false)
              ? 'there'
              : settled(`SQS queue ${name} does not exist in ${str(region)}.`)
          },
          foresee: () => foreseen(`SQS queue ${name} is set to be removed.`, { old: name, new: null }),
          act: async () => {
            const gone = await ask(ctx, 'delete', queue)
            if (gone.has('error')) return failed(str(gone.get('error')!))
            return changed(`SQS queue ${name} was deleted.`, { old: name, new: null })
          },
        })
      },
    }),
  },
})
