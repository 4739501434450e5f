// What templates define and import, as data.
import { dumpJson, loadJson, str, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, option, reads, ret } from '../../../sdk/mod.ts'

/** Plain data: an ordered dict comes back as a dict. */
async function evaluated(ctx: FunctionContext, lines: readonly string[]): Promise<Value> {
  const renderer = option(ctx.opts, 'renderer')
  return loadJson(dumpJson(await ctx.render({ text: `${lines.join('\n')}\n`, renderer, saltenv: 'base' })))
}

const imported = (ctx: FunctionContext, tag: string, path: string): Promise<Value> =>
  evaluated(ctx, [`{% ${tag} "${path}" as imported %}`, '{{ imported | tojson }}'])

const path = arg.text('The file, below the file roots')

export default defineModule({
  name: 'jinja',
  doc: 'Try out templates that others import.',
  functions: {
    load_map: reads({
      doc: 'The value of a variable that a template sets.',
      args: { path, value: arg.any('The name of the variable') },
      returns: ret.any('Its value'),
      example: 'jinja.load_map template/map.jinja jenkins',
      run: (ctx, { path, value }) =>
        evaluated(ctx, [`{% from "${path}" import ${str(value)} with context %}`, `{{ ${str(value)} | tojson }}`]),
    }),
    import_yaml: reads({
      doc: 'A YAML file as templates import it.',
      args: { path },
      returns: ret.any('The data'),
      example: 'jinja.import_yaml common/defaults.yaml',
      run: (ctx, { path }) => imported(ctx, 'import_yaml', path),
    }),
    import_json: reads({
      doc: 'A JSON file as templates import it.',
      args: { path },
      returns: ret.any('The data'),
      example: 'jinja.import_json common/defaults.json',
      run: (ctx, { path }) => imported(ctx, 'import_json', path),
    }),
  },
})
