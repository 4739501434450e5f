// Queries to web servers, run on the master.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn, optionalText } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'http',
  doc: 'Query web servers from the master.',
  functions: {
    query: masterFn({
      doc: 'Query a URL, and return the answer.',
      args: {
        url: arg.text('URL'),
        output: arg.flag('Deprecated; use --quiet', { default: true }),
        kwargs: arg.open('Options of the query, as for the execution function http.query'),
      },
      examples: ["salt-run http.query http://somelink.com/ method=POST data='<xml>somecontent</xml>'"],
      run: (ctx, { url, output, kwargs }) => {
        if (!output) ctx.log('warning', 'Output option has been deprecated. Please use --quiet.')
        const given = kwargs.get('opts')
        const opts: Dict = given !== undefined && isDict(given) ? new Map([...ctx.opts, ...given]) : ctx.opts
        const parameters = new Map<string, Value>([['node', 'master'], ...kwargs, ['opts', opts], ['url', url]])
        return ctx.http.query(parameters)
      },
    }),
    update_ca_bundle: masterFn({
      doc: 'Download the bundle of CA certificates, and append further certificates.',
      args: {
        target: optionalText('Path of the bundle; default: the option ca_bundle, or the path of the existing bundle'),
        source: arg.text('URL of the bundle; default: the option ca_bundle_url', { optional: true }),
        merge_files: arg.textOrList('File or list of files to append to the bundle', { optional: true }),
      },
      examples: ['salt-run http.update_ca_bundle'],
      run: (ctx, { target, source, merge_files }) =>
        ctx.function('http.update_ca_bundle', [], { target, source, merge_files }),
    }),
  },
})
