import { aConditionalDate, aDateAlone } from './value-forms.ts';
import type { Writer } from './writers.data.ts';

/** Values that make curl read or write a file are judged separately. */
export const curlFlags =
  '-s -S -f -L -k -i -I -v -g -G -j -N -q -Z -0 -1 -2 -3 -4 -6 -a -l -p -R -J -O -o> -D> -c> -T< -E< -b: -d: -F: -H: ' +
  '-A: -e: -m# -r: -u: -U: -w: -x: -X: -y# -Y# -z: -C: -t: -P: ' +
  '--silent --show-error --fail --fail-with-body --fail-early --location --location-trusted --insecure --include --head ' +
  '--verbose --globoff --get --no-buffer --parallel --http1.0 --http1.1 --http2 --http3 --ipv4 --ipv6 --progress-bar ' +
  '--no-progress-meter --compressed --remote-name --remote-name-all --create-dirs --tlsv1.2 --tlsv1.3 --ssl-reqd --path-as-is ' +
  '--raw --tcp-nodelay --disable --remove-on-error --no-clobber --output> --output-dir: --dump-header> --cookie-jar> ' +
  '--trace> --trace-ascii> --stderr> --etag-save> --etag-compare< --hsts> --alt-svc> --upload-file< --cert< --key< --cacert< ' +
  '--capath< --netrc-file< --cookie: --data: --data-raw: --data-ascii: --data-binary: --data-urlencode: --json: --form: ' +
  '--form-string: --header: --user-agent: --referer: --max-time# --connect-timeout# --retry# --retry-delay# ' +
  '--retry-max-time# --retry-all-errors --retry-connrefused --range: --user: --proxy-user: --write-out: --proxy: --noproxy: ' +
  '--request: --url: --url-query: --max-redirs# --limit-rate: --resolve: --connect-to: --interface: --oauth2-bearer: --proto: ' +
  '--proto-redir: --proto-default: --aws-sigv4: --max-filesize: --time-cond: --continue-at: --keepalive-time# --speed-limit# --speed-time#';

/** Of what is left of them, the form. */
export const curlValues: Readonly<Record<string, RegExp>> = {
  '-z': aConditionalDate,
  '--time-cond': aConditionalDate,
};

export const wgetFlags =
  '-q -v -nv -c -N -nc -S -4 -6 -O> -o> -a> -P: -t# -T# -U: --quiet --verbose --no-verbose --continue --timestamping ' +
  '--no-clobber --server-response --inet4-only --inet6-only --output-document> --output-file> --append-output> ' +
  '--directory-prefix: --tries# --timeout# --user-agent: --header: --no-check-certificate --method: --post-data: ' +
  '--body-data: --post-file< --body-file< --show-progress --progress: --spider --https-only --max-redirect# --retry-connrefused ' +
  '--waitretry# --no-proxy --user: --password:';

export const tarWriter: Writer = {
  flags:
    '-c -r -u -t -v -z -j -J -a -p -h -O -f> -P --create --append --update --list --verbose --gzip --bzip2 --xz --auto-compress ' +
    '--file> --exclude: --dereference --owner: --group: --mtime: --sort: --numeric-owner --no-recursion --format: --exclude-vcs ' +
    '--remove-files -C: --directory:',
  values: { '-f': /^[^:]+$/, '--file': /^[^:]+$/, '--mtime': aDateAlone },
  operands: 'read',
};

/** `name=value`, by the kind of value. */
export const ddOperands: Readonly<Record<string, 'read' | 'write' | 'text'>> = {
  ...{
    if: 'read',
    of: 'write',
    bs: 'text',
    ibs: 'text',
    obs: 'text',
    cbs: 'text',
    count: 'text',
    skip: 'text',
  },
  ...{
    seek: 'text',
    conv: 'text',
    status: 'text',
    iflag: 'text',
    oflag: 'text',
    iseek: 'text',
    oseek: 'text',
  },
};
