// Returns the variables and imports of templates as data.
import { dumpJson, loadJson, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, option, reads, ret } from '../../../sdk/mod.ts'

/** Render lines and return plain data: an ordered dict becomes a dict. */
async function evaluated(ctx: FunctionContext, lines: readonly string[]): Promise<Value> {
  const renderer = option(ctx.opts, 'renderer')
  return loadJson(dumpJson(await ctx.render({ text: `${lines.join('\n')}\n`, renderer, saltenv: 'base' })))
}

const imported = (ctx: FunctionContext, tag: string, path: string): Promise<Value> =>
  evaluated(ctx, [`{% ${tag} "${path}" as imported %}`, '{{ imported | tojson }}'])

const path = arg.text('Path in the file roots')

export default defineModule({
  name: 'jinja',
  doc: 'Test templates that other templates import.',
  functions: {
    load_map: reads({
      doc: 'Return the value of a variable that a template sets.',
      args: { path, value: arg.text('Name of the variable') },
      returns: ret.any('Value'),
      example: 'jinja.load_map template/map.jinja jenkins',
      run: (ctx, { path, value }) =>
        evaluated(ctx, [`{% from "${path}" import ${value} with context %}`, `{{ ${value} | tojson }}`]),
    }),
    import_yaml: reads({
      doc: 'Return a YAML file as templates import it.',
      args: { path },
      returns: ret.any('Data'),
      example: 'jinja.import_yaml common/defaults.yaml',
      run: (ctx, { path }) => imported(ctx, 'import_yaml', path),
    }),
    import_json: reads({
      doc: 'Return a JSON file as templates import it.',
      args: { path },
      returns: ret.any('Data'),
      example: 'jinja.import_json common/defaults.json',
      run: (ctx, { path }) => imported(ctx, 'import_json', path),
    }),
  },
})
