// How a machine is reached by SSH. Everything comes from outside: bounded and checked where it is read.

export interface SshTarget {
  /** Name or address, never beginning with '-'. */
  host: string
  port?: number
  user?: string
  /** For login; secret: never in argv, environment, file or log. */
  password?: string
  /** Path of the private key; 'agent-forwarding' means no file and -A. */
  identity?: string
  /** Of the private key; secret. */
  passphrase?: string
  identitiesOnly?: boolean
  /** In seconds. */
  connectTimeout?: number
  keepalive?: { interval: number; countMax: number } | false
  /** `accept` is -i (StrictHostKeyChecking=no), `ignore` is --no-host-keys (UserKnownHostsFile=/dev/null). */
  hostKeys?: 'check' | 'accept' | 'ignore'
  knownHostsFile?: string
  configFile?: string
  /** Words for `ssh -o` that the user gave (ssh_options, --ssh-option). */
  options?: readonly string[]
  /** For `ssh -R`. */
  remoteForwards?: readonly string[]
  tty?: boolean
  /** The password is secret. */
  become?: { program: 'sudo' | 'doas' | 'su'; user: string; password?: string }
  /** The option `set_path`: value or prefix of PATH, as in Salt. */
  path?: string
  /** The option `cmd_umask`. */
  umask?: number
}
