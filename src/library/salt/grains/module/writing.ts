// The functions that change the grains file.
import { arg, type FunctionDeclaration, fn, ret } from '../../../../sdk/mod.ts'
import { setGrains } from './grains-file.ts'
import { appendToGrain, removeFromGrain, setGrain } from './nested.ts'

const delimiter = arg.string('Separates the levels of a path', { default: ':' })
const destructive = arg.boolean('Remove the grain when its value becomes None', { default: false })
const force = arg.boolean('Overwrite dicts and lists', { default: false })
const refreshPillar = arg.boolean('Compile the pillar anew', { default: true })

const setReport = ret.dict('`result`, `changes` and `comment`')

export const writing: Readonly<Record<string, FunctionDeclaration>> = {
  setvals: fn({
    doc: 'Set several grains in the grains file.',
    args: { grains: arg.any('Values by name'), destructive, refresh_pillar: refreshPillar },
    returns: ret.any('The grains that were set, or what is wrong with the file'),
    examples: [`salt '*' grains.setvals "{'key1': 'val1', 'key2': 'val2'}"`],
    effect: 'change',
    run: (ctx, { grains, destructive, refresh_pillar }) =>
      setGrains(ctx, grains, { destructive, refreshPillar: refresh_pillar }),
  }),
  setval: fn({
    doc: 'Set a grain in the grains file.',
    args: { key: arg.any('The name'), val: arg.any('The value'), destructive, refresh_pillar: refreshPillar },
    returns: ret.any('The grain that was set, or what is wrong with the file'),
    examples: ["salt '*' grains.setval key val"],
    effect: 'change',
    outputter: 'nested',
    run: (ctx, { key, val, destructive, refresh_pillar }) =>
      setGrains(ctx, new Map([[key, val]]), { destructive, refreshPillar: refresh_pillar }),
  }),
  append: fn({
    doc: 'Append to a list in the grains file; a grain that is not there becomes a list.',
    args: {
      key: arg.string('The path to the list'),
      val: arg.any('The value, or a list of several'),
      convert: arg.boolean('Make a list of a value that is none', { default: false }),
      delimiter,
    },
    returns: ret.any('The grain that was set, or why it was not'),
    examples: ["salt '*' grains.append key val"],
    effect: 'change',
    run: appendToGrain,
  }),
  remove: fn({
    doc: 'Remove a value from a list in the grains file.',
    args: { key: arg.string('The path to the list'), val: arg.any('The value'), delimiter },
    returns: ret.any('The grain that was set, or why it was not'),
    examples: ["salt '*' grains.remove key val"],
    effect: 'change',
    run: removeFromGrain,
  }),
  delkey: fn({
    doc: 'Remove a grain from the grains file.',
    args: { key: arg.string('The path to the grain'), force },
    returns: setReport,
    examples: ["salt '*' grains.delkey key"],
    effect: 'change',
    run: (ctx, { key, force }) => setGrain(ctx, { key, val: null, force, destructive: true, delimiter: ':' }),
  }),
  delval: fn({
    doc: 'Set a grain to None; with `destructive` remove it.',
    args: { key: arg.string('The path to the grain'), destructive, force },
    returns: setReport,
    examples: ["salt '*' grains.delval key"],
    effect: 'change',
    run: (ctx, { key, destructive, force }) => setGrain(ctx, { key, val: null, force, destructive, delimiter: ':' }),
  }),
  set: fn({
    doc: 'Set a value by its path. Dicts and lists are overwritten only by force.',
    args: {
      key: arg.string('The path to the value'),
      val: arg.any('The value', { default: '' }),
      force,
      destructive,
      delimiter,
    },
    returns: setReport,
    examples: ["salt '*' grains.set 'apps:myApp:port' 2209"],
    effect: 'change',
    run: setGrain,
  }),
}
