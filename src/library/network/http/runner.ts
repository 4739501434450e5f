// Queries to web servers from the master.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, masterFn } from '../../../sdk/mod.ts'

export default defineRunner({
  name: 'http',
  doc: 'Queries to web servers.',
  functions: {
    query: masterFn({
      doc: 'Asks a web server and gives back what it said.',
      args: {
        url: arg.text('The address'),
        output: arg.any('Obsolete', { default: true }),
        kwargs: arg.open('Everything that the execution function of this name takes'),
      },
      examples: ["salt-run http.query http://somelink.com/ method=POST data='<xml>somecontent</xml>'"],
      run: (ctx, { url, output, kwargs }) => {
        if (output !== true) ctx.log('warning', 'Output option has been deprecated. Please use --quiet.')
        const given = kwargs.get('opts')
        const opts: Dict = given !== undefined && isDict(given) ? new Map([...ctx.opts, ...given]) : ctx.opts
        const parameters = new Map<string, Value>([['node', 'master'], ...kwargs, ['opts', opts], ['url', url]])
        return ctx.http.query(parameters)
      },
    }),
    update_ca_bundle: masterFn({
      doc: "Fetches a bundle of certificate authorities, and adds certificates of one's own.",
      args: {
        target: arg.any('Where it is written', { optional: true }),
        source: arg.any('Where it is fetched from', { optional: true }),
        merge_files: arg.any('Files to be added', { optional: true }),
      },
      examples: ['salt-run http.update_ca_bundle'],
      run: (ctx, { target, source, merge_files }) =>
        ctx.function('http.update_ca_bundle', [], { target, source, merge_files }),
    }),
  },
})
