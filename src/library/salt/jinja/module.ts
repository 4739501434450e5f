// What templates define and import, as data.
import { dumpJson, loadJson, str, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, fn, option, ret } from '../../../sdk/mod.ts'

/** Plain data: an ordered dict comes back as a dict. */
async function evaluated(ctx: FunctionContext, lines: readonly string[]): Promise<Value> {
  const renderer = option(ctx.opts, 'renderer')
  return loadJson(dumpJson(await ctx.render({ text: `${lines.join('\n')}\n`, renderer, saltenv: 'base' })))
}

const imported = (ctx: FunctionContext, tag: string, path: Value): Promise<Value> =>
  evaluated(ctx, [`{% ${tag} "${str(path)}" as imported %}`, '{{ imported | tojson }}'])

const path = arg.any('The file, below the file roots')

export default defineModule({
  name: 'jinja',
  doc: 'Try out templates that others import.',
  functions: {
    load_map: fn({
      doc: 'The value of a variable that a template sets.',
      args: { path, value: arg.any('The name of the variable') },
      returns: ret.any('Its value'),
      examples: ["salt '*' jinja.load_map template/map.jinja jenkins"],
      effect: 'read',
      run: (ctx, { path, value }) =>
        evaluated(ctx, [`{% from "${str(path)}" import ${str(value)} with context %}`, `{{ ${str(value)} | tojson }}`]),
    }),
    import_yaml: fn({
      doc: 'A YAML file as templates import it.',
      args: { path },
      returns: ret.any('The data'),
      examples: ["salt '*' jinja.import_yaml common/defaults.yaml"],
      effect: 'read',
      run: (ctx, { path }) => imported(ctx, 'import_yaml', path),
    }),
    import_json: fn({
      doc: 'A JSON file as templates import it.',
      args: { path },
      returns: ret.any('The data'),
      examples: ["salt '*' jinja.import_json common/defaults.json"],
      effect: 'read',
      run: (ctx, { path }) => imported(ctx, 'import_json', path),
    }),
  },
})
