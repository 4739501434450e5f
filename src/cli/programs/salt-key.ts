// The command line of salt-key.
import { flagOption, type Program } from '../optparse/option.ts'
import {
  HARD_CRASH,
  LOG_LEVEL_CHOICES,
  loggingOptions,
  MAKE_TOKEN,
  OUTPUT_OPTIONS,
  PASSWORD,
  STANDARD_OPTIONS,
  USER,
  USERNAME,
} from './common.ts'

export const SALT_KEY: Program = {
  name: 'salt-key',
  usage: '[options]',
  description: "Manages the keys of a master's minions.",
  options: [
    ...STANDARD_OPTIONS,
    USER,
    HARD_CRASH,
    flagOption(['-q', '--quiet'], 'print nothing'),
    flagOption(['-y', '--yes'], 'assume yes for every question'),
    { flags: ['--rotate-aes-key'], default: true, help: 'whether deleting or rejecting keys rotates the session key' },
    { flags: ['--preserve-minions'], default: false, help: 'keep the minion data cache when keys are deleted' },
  ],
  groups: [
    {
      title: 'External Authentication',
      options: [
        {
          flags: ['--auth', '--eauth', '--external-auth'],
          dest: 'eauth',
          default: '',
          help: 'external authentication backend',
        },
        MAKE_TOKEN,
        USERNAME,
        PASSWORD,
      ],
    },
    OUTPUT_OPTIONS,
    {
      title: 'Actions',
      options: [
        {
          flags: ['-l', '--list'],
          metavar: 'ARG',
          default: '',
          help: 'list keys in one state (accepted, pending, rejected, denied or all, by prefix)',
        },
        flagOption(['-L', '--list-all'], 'list all keys'),
        { flags: ['-a', '--accept'], default: '', help: 'accept pending keys that match' },
        flagOption(['-A', '--accept-all'], 'accept every pending key'),
        { flags: ['-r', '--reject'], default: '', help: 'reject pending keys that match' },
        flagOption(['-R', '--reject-all'], 'reject every pending key'),
        flagOption(['--include-all'], 'also consider accepted and rejected keys'),
        flagOption(['--include-accepted'], 'also reject keys that are accepted'),
        flagOption(['--include-rejected'], 'also accept keys that were rejected'),
        flagOption(['--include-denied'], 'also consider denied keys'),
        { flags: ['-p', '--print'], default: '', help: 'print one public key' },
        flagOption(['-P', '--print-all'], 'print all public keys'),
        { flags: ['-d', '--delete'], default: '', help: 'delete keys that match' },
        flagOption(['-D', '--delete-all'], 'delete every key'),
        { flags: ['-f', '--finger'], default: '', help: 'print fingerprints of matching keys' },
        flagOption(['-F', '--finger-all'], 'print all fingerprints'),
      ],
    },
    {
      title: 'Key Generation Options',
      options: [
        { flags: ['--gen-keys'], default: '', help: 'create a key pair with this name' },
        { flags: ['--gen-keys-dir'], default: '.', help: 'where a new key pair is written' },
        { flags: ['--keysize'], type: 'int', default: 2048, help: 'bits of a new key' },
        flagOption(['--gen-signature'], "sign the master's public key"),
        { flags: ['--priv'], default: '', help: 'private key used for signing' },
        { flags: ['--signature-path'], default: '', help: 'where the signature is written' },
        { flags: ['--pub'], default: '', help: 'public key to sign' },
        flagOption(['--auto-create'], 'create the signing keys when absent'),
      ],
    },
    loggingOptions('key_logfile', { flags: ['--log-level'], choices: LOG_LEVEL_CHOICES, help: 'console log level' }),
  ],
}
