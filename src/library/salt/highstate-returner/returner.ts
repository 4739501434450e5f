// `highstate`: reports the changes and failures of a highstate in a file or a mail.
import { type Dict, dumpJson, str, truthy, type Value } from '../../../data/mod.ts'
import { defineReturner, type FunctionContext, returnerOptions } from '../../../sdk/mod.ts'
import { htmlOf } from './returner/html.ts'
import { entriesOf, type Options, reportOf } from './returner/report.ts'

const DEFAULTS = {
  report_everything: false,
  report_changes: true,
  report_failures: true,
  failure_function: null,
  success_function: null,
  report_format: 'yaml',
  report_delivery: 'file',
  file_output: '/tmp/test.rpt',
  smtp_sender: '',
  smtp_recipients: '',
  smtp_failure_subject: 'Installation failure',
  smtp_success_subject: 'Installation success',
  smtp_server: '',
  smtp_port: 25,
  smtp_tls: null,
  smtp_username: null,
  smtp_password: null,
} satisfies Record<string, Value>

/** Replace `{id}` and other grains of the minion in a text. */
const withGrains = (ctx: FunctionContext, text: Value): string =>
  str(text).replace(/\{([^{}]*)\}/g, (_all, name: string) => str(ctx.grains.get(name) ?? ''))

async function textOf(ctx: FunctionContext, report: Value[], format: Value): Promise<string> {
  if (format === 'json') return dumpJson(report, { ensureAscii: false })
  if (format !== 'yaml') return htmlOf(report)
  const options = { default_flow_style: false, allow_unicode: true }
  return `${str(await ctx.call('slsutil.serialize', ['yaml', report], options)).trimEnd()}\n`
}

async function mail(ctx: FunctionContext, text: string, options: Options, failed: number): Promise<void> {
  const subject = options[failed > 0 ? 'smtp_failure_subject' : 'smtp_success_subject']!
  await ctx.call('smtp.send_msg', [options['smtp_recipients']!, text], {
    subject: withGrains(ctx, subject),
    sender: options['smtp_sender']!,
    server: `${str(options['smtp_server']!)}:${str(options['smtp_port']!)}`,
    use_ssl: 'False',
    username: options['smtp_username']!,
    password: options['smtp_password']!,
    subtype: str(options['report_format']!),
  })
}

async function deliver(ctx: FunctionContext, ret: Dict): Promise<void> {
  const options: Options = await returnerOptions(ctx, 'highstate', DEFAULTS, ret)
  const { entries, failed } = reportOf(ret, options)
  if (entries.length === 0) return
  const extra = options[failed > 0 ? 'failure_function' : 'success_function'] ?? null
  if (truthy(extra)) {
    const report: Dict = new Map([[extra, entriesOf(await ctx.call(str(extra)))]])
    entries.unshift(new Map([['extra', [report]]]))
  }
  const text = await textOf(ctx, entries, options['report_format']!)
  if (options['report_delivery'] === 'file') await ctx.host.write(withGrains(ctx, options['file_output']!), text)
  else await mail(ctx, text, options, failed)
}

export default defineReturner({
  name: 'highstate_return',
  virtual: 'highstate',
  doc: 'Report the changes and failures of a highstate to a file or by mail.',
  functions: { returner: deliver },
})
