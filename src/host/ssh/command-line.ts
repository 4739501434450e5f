// Builds the command line of ssh; no other code does. Settings are in Salt's order: those of the roster first, then the
// user's own. ssh takes the first value of a setting, so a roster overrides `ssh_options`, and both override the user's
// ssh_config.
import type { SshTarget } from './target.ts'
import { AGENT_FORWARDING } from './target.ts'

/** In seconds, as in Salt. */
export const CONNECT_TIMEOUT = 65

/** Return the arguments of ssh before the host, without those for sharing a connection. */
export function connectionArguments(target: SshTarget): string[] {
  const settings = [
    'KbdInteractiveAuthentication=no',
    `PasswordAuthentication=${target.password === undefined ? 'no' : 'yes'}`,
    ...(target.password === undefined ? [] : ['NumberOfPasswordPrompts=1']),
    'GSSAPIAuthentication=no',
    `ConnectTimeout=${target.connectTimeout ?? CONNECT_TIMEOUT}`,
    ...keepaliveSettings(target),
    ...hostKeySettings(target),
    ...(target.port === undefined ? [] : [`Port=${target.port}`]),
    ...identitySettings(target),
    ...(target.user === undefined ? [] : [`User=${target.user}`]),
    ...(target.options ?? []),
  ]
  return [
    ...(target.configFile === undefined ? [] : ['-F', target.configFile]),
    ...settings.flatMap((setting) => ['-o', setting]),
    ...(target.identity === AGENT_FORWARDING ? ['-A'] : []),
    ...(target.remoteForwards ?? []).flatMap((forward) => ['-R', forward]),
  ]
}

function keepaliveSettings({ keepalive = { interval: 60, countMax: 3 } }: SshTarget): string[] {
  if (keepalive === false) return []
  return [`ServerAliveInterval=${keepalive.interval}`, `ServerAliveCountMax=${keepalive.countMax}`]
}

function hostKeySettings({ hostKeys = 'check', knownHostsFile }: SshTarget): string[] {
  const file = knownHostsFile === undefined ? [] : [`UserKnownHostsFile=${quoted(knownHostsFile)}`]
  if (hostKeys === 'check') return file
  // the first value counts: a file to ignore precedes one to use
  if (hostKeys === 'ignore') return ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null']
  return ['StrictHostKeyChecking=no', ...file]
}

function identitySettings({ identity, identitiesOnly }: SshTarget): string[] {
  return [
    ...(identity === undefined || identity === AGENT_FORWARDING ? [] : [`IdentityFile=${quoted(identity)}`]),
    ...(identitiesOnly ? ['IdentitiesOnly=yes'] : []),
  ]
}

/** A value of ssh's configuration: in quotes where it has a space. */
const quoted = (value: string): string => (/[\s"]/.test(value) ? `"${value.replaceAll('"', '\\"')}"` : value)

/** Return the settings that share one connection: the first ssh opens it and later ones use it. */
export function sharingArguments(controlPath: string, persistSeconds: number): string[] {
  const settings = ['ControlMaster=auto', `ControlPath=${quoted(controlPath)}`, `ControlPersist=${persistSeconds}`]
  return settings.flatMap((setting) => ['-o', setting])
}
