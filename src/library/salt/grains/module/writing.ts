// The functions that change the grains file.
import { arg, changes, type FunctionDeclaration, ret } from '../../../../sdk/mod.ts'
import { setGrains } from './grains-file.ts'
import { appendToGrain, removeFromGrain, setGrain } from './nested.ts'

const delimiter = arg.string('Separates the levels of a path', { default: ':' })
const destructive = arg.boolean('Remove the grain when its value becomes None', { default: false })
const force = arg.boolean('Overwrite dicts and lists', { default: false })
const refreshPillar = arg.boolean('Compile the pillar anew', { default: true })

const setReport = ret.dict('`result`, `changes` and `comment`')

export const writing: Readonly<Record<string, FunctionDeclaration>> = {
  setvals: changes({
    doc: 'Set several grains in the grains file.',
    args: { grains: arg.any('Values by name'), destructive, refresh_pillar: refreshPillar },
    returns: ret.any('The grains that were set, or what is wrong with the file'),
    example: `grains.setvals "{'key1': 'val1', 'key2': 'val2'}"`,
    run: (ctx, { grains, destructive, refresh_pillar }) =>
      setGrains(ctx, grains, { destructive, refreshPillar: refresh_pillar }),
  }),
  setval: changes({
    doc: 'Set a grain in the grains file.',
    args: { key: arg.any('The name'), val: arg.any('The value'), destructive, refresh_pillar: refreshPillar },
    returns: ret.any('The grain that was set, or what is wrong with the file'),
    example: 'grains.setval key val',
    outputter: 'nested',
    run: (ctx, { key, val, destructive, refresh_pillar }) =>
      setGrains(ctx, new Map([[key, val]]), { destructive, refreshPillar: refresh_pillar }),
  }),
  append: changes({
    doc: 'Append to a list in the grains file; a grain that is not there becomes a list.',
    args: {
      key: arg.string('The path to the list'),
      val: arg.any('The value, or a list of several'),
      convert: arg.boolean('Make a list of a value that is none', { default: false }),
      delimiter,
    },
    returns: ret.any('The grain that was set, or why it was not'),
    example: 'grains.append key val',
    run: appendToGrain,
  }),
  remove: changes({
    doc: 'Remove a value from a list in the grains file.',
    args: { key: arg.string('The path to the list'), val: arg.any('The value'), delimiter },
    returns: ret.any('The grain that was set, or why it was not'),
    example: 'grains.remove key val',
    run: removeFromGrain,
  }),
  delkey: changes({
    doc: 'Remove a grain from the grains file.',
    args: { key: arg.string('The path to the grain'), force },
    returns: setReport,
    example: 'grains.delkey key',
    run: (ctx, { key, force }) => setGrain(ctx, { key, val: null, force, destructive: true, delimiter: ':' }),
  }),
  delval: changes({
    doc: 'Set a grain to None; with `destructive` remove it.',
    args: { key: arg.string('The path to the grain'), destructive, force },
    returns: setReport,
    example: 'grains.delval key',
    run: (ctx, { key, destructive, force }) => setGrain(ctx, { key, val: null, force, destructive, delimiter: ':' }),
  }),
  set: changes({
    doc: 'Set a value by its path. Dicts and lists are overwritten only by force.',
    args: {
      key: arg.string('The path to the value'),
      val: arg.any('The value', { default: '' }),
      force,
      destructive,
      delimiter,
    },
    returns: setReport,
    example: "grains.set 'apps:myApp:port' 2209",
    run: setGrain,
  }),
}
