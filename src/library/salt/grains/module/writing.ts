// The functions that change the grains file.
import { arg, changes, type FunctionDeclaration, ret } from '../../../../sdk/mod.ts'
import { setGrains } from './grains-file.ts'
import { appendToGrain, removeFromGrain, setGrain } from './nested.ts'

const delimiter = arg.string('Delimiter of the path', { default: ':' })
const key = arg.string('Path of the grain')
const listItem = arg.any('Value of any type; `append` adds each item of a list')
const destructive = arg.boolean('Remove the grain if its value is None', { default: false })
const force = arg.boolean('Overwrite dicts and lists', { default: false })
const refreshPillar = arg.boolean('Compile the pillar anew afterwards', { default: true })

const setReport = ret.dict('`result`, `changes` and `comment`')

export const writing: Readonly<Record<string, FunctionDeclaration>> = {
  setvals: changes({
    doc: 'Set grains in the grains file.',
    args: {
      grains: arg.any('Dict of values by name; other types are refused'),
      destructive,
      refresh_pillar: refreshPillar,
    },
    returns: ret.any('Grains that were set, or a text with the problem of the file'),
    example: `grains.setvals "{'key1': 'val1', 'key2': 'val2'}"`,
    run: (ctx, { grains, destructive, refresh_pillar }) =>
      setGrains(ctx, grains, { destructive, refreshPillar: refresh_pillar }),
  }),
  setval: changes({
    doc: 'Set a grain in the grains file.',
    args: {
      key: arg.any('Name of the grain'),
      val: arg.any('Value of any type'),
      destructive,
      refresh_pillar: refreshPillar,
    },
    returns: ret.any('Grain that was set, or a text with the problem of the file'),
    example: 'grains.setval key val',
    outputter: 'nested',
    run: (ctx, { key, val, destructive, refresh_pillar }) =>
      setGrains(ctx, new Map([[key, val]]), { destructive, refreshPillar: refresh_pillar }),
  }),
  append: changes({
    doc: 'Append a value to a list in the grains file. A missing grain becomes a list.',
    args: {
      key,
      val: listItem,
      convert: arg.boolean('Convert a value that is not a list to a list', { default: false }),
      delimiter,
    },
    returns: ret.any('Grain that was set, or a text with the reason why it was not'),
    example: 'grains.append key val',
    run: appendToGrain,
  }),
  remove: changes({
    doc: 'Remove a value from a list in the grains file.',
    args: { key, val: listItem, delimiter },
    returns: ret.any('Grain that was set, or a text with the reason why it was not'),
    example: 'grains.remove key val',
    run: removeFromGrain,
  }),
  delkey: changes({
    doc: 'Remove a grain from the grains file.',
    args: { key, force },
    returns: setReport,
    example: 'grains.delkey key',
    run: (ctx, { key, force }) => setGrain(ctx, { key, val: null, force, destructive: true, delimiter: ':' }),
  }),
  delval: changes({
    doc: 'Set a grain to None, or remove it with `destructive`.',
    args: { key, destructive, force },
    returns: setReport,
    example: 'grains.delval key',
    run: (ctx, { key, destructive, force }) => setGrain(ctx, { key, val: null, force, destructive, delimiter: ':' }),
  }),
  set: changes({
    doc: 'Set the value at a path. Overwrite a dict or a list only with `force`.',
    args: {
      key,
      val: arg.any('Value of any type', { default: '' }),
      force,
      destructive,
      delimiter,
    },
    returns: setReport,
    example: "grains.set 'apps:myApp:port' 2209",
    run: setGrain,
  }),
}
