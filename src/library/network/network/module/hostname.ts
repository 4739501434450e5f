// The host name: set in the kernel, and written to the file of the distribution.
import { splitLines, splitWords, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, outputOf, runAll, textAt } from '../../../../sdk/mod.ts'

async function staticName(ctx: FunctionContext, hostnamectl: string): Promise<string> {
  const { retcode, stdout } = await runAll(ctx, `${hostnamectl} status`)
  const named = /^\s*Static hostname:\s*(\S*)/m.exec(stdout)?.[1]
  return retcode === 0 && named !== undefined ? named : ctx.host.hostname()
}

/** Replace the old name in /etc/hosts; the columns are separated by tabs afterwards. */
async function renameInHosts(ctx: FunctionContext, old: string, name: string): Promise<void> {
  const lines = splitLines((await textAt(ctx.host, '/etc/hosts')) ?? '').map((line) => {
    const words = splitWords(line)
    const at = words.indexOf(old)
    if (at >= 0) words[at] = name
    return `${words.join('\t')}\n`
  })
  await ctx.host.write('/etc/hosts', lines.join(''))
}

async function renameInSysconfig(ctx: FunctionContext, name: string): Promise<void> {
  const file = '/etc/sysconfig/network'
  const text = (await textAt(ctx.host, file)) ?? ''
  const plain = name.replace(/^(['"])(.*)\1$/, '$2')
  const renamed = text.replaceAll(/^HOSTNAME=(['"]?).*$/gm, (_, quote: string) => `HOSTNAME=${quote}${plain}${quote}`)
  await ctx.host.write(file, renamed)
}

/** Set the host name; `fullName` returns the current one if hostnamectl is missing. */
export async function setHostname(
  ctx: FunctionContext,
  hostname: Value,
  fullName: (ctx: FunctionContext) => Value | Promise<Value>,
): Promise<boolean> {
  if (hostname === null) return false
  const name = str(hostname)
  const hostnamectl = await ctx.host.which('hostnamectl')
  const old = hostnamectl === undefined ? str(await fullName(ctx)) : await staticName(ctx, hostnamectl)
  if (hostnamectl === undefined) await outputOf(ctx, `${(await ctx.host.which('hostname')) ?? 'hostname'} ${name}`)
  else {
    const { retcode, stderr } = await runAll(ctx, `${hostnamectl} set-hostname ${name}`)
    if (retcode !== 0) {
      ctx.log('debug', `${hostnamectl} was unable to set hostname. Error: ${stderr}`)
      return false
    }
  }
  await renameInHosts(ctx, old, name)
  const family = ctx.grains.get('os_family')
  if (family === 'RedHat') await renameInSysconfig(ctx, name)
  else if (family === 'Debian' || family === 'NILinuxRT') await ctx.host.write('/etc/hostname', `${name}\n`)
  else if (family === 'OpenBSD') await ctx.host.write('/etc/myname', `${name}\n`)
  return true
}
