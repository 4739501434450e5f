// Functions that Salt runs on the side of the master for targets of salt-ssh. Here all functions do; these only differ in the words of
// their failures.

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const WRAPPED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['cmd', names('script script_retcode')],
  ['config', names('backup_mode dot_vals get items manage_mode merge option valid_fileproto')],
  [
    'cp',
    names(
      'cache_dir cache_file cache_files cache_master convert_cache_path envs get_dir get_file get_file_str get_template get_url ' +
        'hash_file is_cached list_master list_master_dirs list_master_symlinks list_states',
    ),
  ],
  ['defaults', names('deepcopy get merge update')],
  ['grains', names('filter_by get has_value item items ls')],
  ['mine', names('get')],
  ['pillar', names('data filter_by get item items keys raw')],
  ['publish', names('full_data publish runner')],
  ['saltcheck', names('run_highstate_tests run_state_tests update_master_cache')],
  [
    'slsutil',
    names('boolstr deserialize dir_exists file_exists findup merge merge_all path_exists renderer serialize update'),
  ],
  [
    'state',
    names(
      'apply check_request clear_request high highstate low request run_request running show_highstate show_low_sls ' +
        'show_lowstate show_sls show_top single sls sls_exists sls_id test top',
    ),
  ],
  ['ssh_pki', names('certificate_managed_wrapper create_certificate get_signing_policy')],
  ['x509', names('certificate_managed_wrapper create_certificate get_signing_policy')],
])

export function isWrapped(fun: string): boolean {
  const [module = '', name = ''] = fun.split('.')
  return WRAPPED.get(module)?.has(name) ?? false
}

/** Outputters of functions whose results differ in form from those of minions. */
const OUTPUTTERS: ReadonlyMap<string, string> = new Map([
  ['state.check_request', 'nested'],
  ['state.high', 'highstate'],
])

/** Return the outputter of a function that replaces the one of minions. */
export const wrappedOutputter = (fun: string): string | undefined => OUTPUTTERS.get(fun)
