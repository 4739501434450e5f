// Labels, annotations and taints of nodes, and whether pods are scheduled on them.
import { type Dict, isDict, isList, str, type Value } from '../../../../data/mod.ts'
import {
  arg,
  changed,
  ensureOrFail,
  failed,
  foreseen,
  type StateContext,
  type StateFunction,
  settled,
  state,
} from '../../../../sdk/mod.ts'
import { dictIn } from '../client/objects.ts'
import { connection } from '../client/settings.ts'

const node = arg.text('Name of the node')

type Kwargs = Map<string, Value>

/** Labels and annotations differ in their name only. */
type Word = 'label' | 'annotation'

const titled = (word: Word): string => (word === 'label' ? 'Label' : 'Annotation')

const wordsOf = async (ctx: StateContext, word: Word, node: string, kwargs: Kwargs): Promise<Dict> =>
  (await ctx.call(`kubernetes.node_${word}s`, [node], kwargs)) as Dict

const remove = (ctx: StateContext, word: Word, node: string, name: string, kwargs: Kwargs) =>
  ctx.call(
    `kubernetes.node_remove_${word}`,
    [],
    new Map<string, Value>([...kwargs, ['node_name', node], [`${word}_name`, name]]),
  )

const wordAbsent = (word: Word): StateFunction =>
  state({
    doc: `Ensure that a node has no ${word} of a name.`,
    args: { name: arg.text(`Name of the ${word}`), node, kwargs: connection },
    run: (ctx, { name, node, kwargs }) =>
      ensureOrFail<Dict>(ctx, {
        name,
        look: async () => {
          const found = await wordsOf(ctx, word, node, kwargs)
          return found.has(name) ? found : settled(`The ${word} does not exist`)
        },
        foresee: () => `The ${word} is going to be deleted`,
        act: async () => {
          await remove(ctx, word, node, name, kwargs)
          const gone = { new: 'absent', old: 'present' }
          return changed(`${titled(word)} removed from node`, { [`kubernetes.node_${word}`]: gone })
        },
      }),
  })

const folderAbsent = (word: Word): StateFunction =>
  state({
    doc: `Ensure that a node has no ${word}s whose name begins with a prefix and a slash.`,
    args: { name: arg.text('Prefix, such as `example.com`'), node, kwargs: connection },
    run: (ctx, { name, node, kwargs }) =>
      ensureOrFail<string[]>(ctx, {
        name,
        look: async () => {
          const all = [...(await wordsOf(ctx, word, node, kwargs)).keys()].map(str)
          const isInside = all.some((each) => each.startsWith(folder(name)))
          return isInside ? all : settled(`The ${word} folder does not exist`)
        },
        foresee: () => `The ${word} folder is going to be deleted`,
        act: async (all) => {
          const inside = all.filter((one) => one.startsWith(folder(name)))
          for (const each of inside) await remove(ctx, word, node, each, kwargs)
          const left = all.filter((one) => !inside.includes(one))
          const key = `kubernetes.node_${word}_folder_absent`
          return changed(`${titled(word)} folder removed from node`, { [key]: { old: all, new: left } })
        },
      }),
  })

const wordPresent = (word: Word): StateFunction =>
  state({
    doc: `Ensure that a node has a ${word} with a value.`,
    args: { name: arg.text(`Name of the ${word}`), node, value: arg.text('Value'), kwargs: connection },
    run: (ctx, { name, node, value, kwargs }) =>
      ensureOrFail<Dict>(ctx, {
        name,
        look: async () => {
          const found = await wordsOf(ctx, word, node, kwargs)
          return found.get(name) === value ? settled(`The ${word} is already set and has the specified value`) : found
        },
        foresee: (found) => `The ${word} is going to be ${found.has(name) ? 'updated' : 'set'}`,
        act: async (found) => {
          const named: [string, Value][] = [
            ['node_name', node],
            [`${word}_name`, name],
            [`${word}_value`, value],
          ]
          await ctx.call(`kubernetes.node_add_${word}`, [], new Map<string, Value>([...kwargs, ...named]))
          const comment = found.has(name) ? `The ${word} is already set, changing the value` : ''
          return changed(comment, { [`${node}.${name}`]: { old: found, new: new Map(found).set(name, value) } })
        },
      }),
  })

const wordStates = (word: Word): Record<string, StateFunction> => ({
  [`node_${word}_absent`]: wordAbsent(word),
  [`node_${word}_folder_absent`]: folderAbsent(word),
  [`node_${word}_present`]: wordPresent(word),
})

const folder = (name: string): string => `${name.replace(/^\/+|\/+$/g, '')}/`

/** Whether pods may be scheduled on a node. */
function scheduling(isCordoned: boolean): StateFunction {
  const [now, wanted] = isCordoned ? ['schedulable', 'cordoned'] : ['cordoned', 'schedulable']
  const verb = isCordoned ? 'cordoned' : 'uncordoned'
  return state({
    doc: `Ensure that a node is ${wanted}.`,
    args: { name: node, kwargs: connection },
    run: (ctx, { name, kwargs }) =>
      ensureOrFail<'differs'>(ctx, {
        name,
        look: async () => {
          const found = await ctx.call('kubernetes.node', [name], kwargs)
          if (!isDict(found as Value)) return failed(`Node ${name} not found`)
          const isNow = dictIn(found as Dict, 'spec').get('unschedulable') === true
          return isNow === isCordoned ? settled(`Node is already ${wanted}`) : 'differs'
        },
        foresee: () => foreseen(`Node would be ${verb}`, { old: now, new: wanted }),
        act: async () => {
          await ctx.call(`kubernetes.${isCordoned ? 'cordon' : 'uncordon'}`, [name], kwargs)
          return changed(`Node ${name} ${verb}`, { old: now, new: wanted })
        },
      }),
  })
}

async function taintsOf(ctx: StateContext, name: string, kwargs: Kwargs): Promise<Dict[] | undefined> {
  const found = await ctx.call('kubernetes.node', [name], kwargs)
  if (!isDict(found)) return undefined
  const taints = dictIn(found, 'spec').get('taints') ?? null
  return isList(taints) ? taints.filter(isDict) : []
}

const key = arg.text('Key of the taint')

export const nodeStates: Record<string, StateFunction> = {
  ...wordStates('label'),
  ...wordStates('annotation'),
  node_cordoned: scheduling(true),
  node_uncordoned: scheduling(false),
  node_tainted: state({
    doc: 'Ensure that a node has a taint.',
    args: {
      name: node,
      key,
      effect: arg.text('NoSchedule, PreferNoSchedule or NoExecute'),
      value: arg.text('Value', { optional: true }),
      kwargs: connection,
    },
    run: (ctx, { name, key, effect, value, kwargs }) => {
      const taint = `Taint ${key}=${value ?? 'None'}:${effect}`
      const differs = (old: Dict | null) => ({ old, new: { key, value, effect } })
      return ensureOrFail<{ old: Dict | null }>(ctx, {
        name,
        look: async () => {
          const taints = await taintsOf(ctx, name, kwargs)
          if (taints === undefined) return failed(`Node ${name} not found`)
          const old = taints.find((one) => one.get('key') === key && one.get('effect') === effect) ?? null
          return old !== null && (old.get('value') ?? null) === value ? settled(`${taint} already present`) : { old }
        },
        foresee: ({ old }) => foreseen(`${taint} would be applied`, differs(old)),
        act: async ({ old }) => {
          await ctx.call('kubernetes.taint', [name, key, effect, value], kwargs)
          return changed(`${taint} applied`, differs(old))
        },
      })
    },
  }),
  node_untainted: state({
    doc: 'Ensure that a node has no taint with a key.',
    args: {
      name: node,
      key,
      effect: arg.text('Only the taint with this effect', { optional: true }),
      kwargs: connection,
    },
    run: (ctx, { name, key, effect, kwargs }) =>
      ensureOrFail<Dict[]>(ctx, {
        name,
        look: async () => {
          const taints = await taintsOf(ctx, name, kwargs)
          if (taints === undefined) return failed(`Node ${name} not found`)
          const found = taints.filter(
            (one) => one.get('key') === key && (effect === null || one.get('effect') === effect),
          )
          return found.length === 0 ? settled(`No taint with key '${key}' present`) : found
        },
        foresee: (found) =>
          foreseen(`${found.length} taint(s) with key '${key}' would be removed`, { old: found, new: [] }),
        act: async (found) => {
          await ctx.call('kubernetes.untaint', [name, key, effect], kwargs)
          return changed(`Removed ${found.length} taint(s) with key '${key}'`, { old: found, new: [] })
        },
      }),
  }),
}
