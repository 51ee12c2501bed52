// One household of rigs/household.yaml, request by request, for k6: what a user would write who has no
// screenrig. The two screens of a home are one virtual user, so that its requests come one after the other
// over one connection: less work than two devices of their own. Nothing is recorded one by one or judged.
//
//   k6 run -e TARGET=http://127.0.0.1:18490 -e STATEMENT=... -e RATE=250 -e SECONDS=8 household.js
import http from 'k6/http';
import { sleep } from 'k6';
import encoding from 'k6/encoding';

export const options = {
  noVUConnectionReuse: true,
  scenarios: {
    homes: {
      executor: 'constant-arrival-rate',
      rate: Number(__ENV.RATE),
      duration: `${__ENV.SECONDS}s`,
      preAllocatedVUs: 3 * Number(__ENV.RATE),
      maxVUs: 6 * Number(__ENV.RATE),
    },
  },
};

const target = __ENV.TARGET;
const requestor = 'DEMOTV';
const information = {
  tv: { type: 'TV', model: 'AppleTV14,1', osName: 'tvOS', osVersion: '17.4' },
  phone: { type: 'MobilePhone', model: 'iPhone15,2', osName: 'iOS', osVersion: '17.4' },
};

function headers(screen, more) {
  const info = encoding.b64encode(JSON.stringify(information[screen]));
  return { headers: Object.assign({ Accept: 'application/json', 'X-Device-Info': info }, more), redirects: 0 };
}

// Whose answer is not what the next request needs ends its household.
function must(status, response) {
  if (response.status !== status) throw new Error(`${response.url}: ${response.status} instead of ${status}`);
  return response;
}

function register(screen) {
  const body = JSON.stringify({ software_statement: __ENV.STATEMENT });
  const client = must(201, http.post(`${target}/o/client/register`, body,
    headers(screen, { 'Content-Type': 'application/json' }))).json();
  const grant = { client_id: client.client_id, client_secret: client.client_secret, grant_type: 'client_credentials' };
  const token = must(201, http.post(`${target}/o/client/token`, grant, headers(screen))).json();
  return headers(screen, { Authorization: `Bearer ${token.access_token}` });
}

// The value of an input, and where its form goes.
function field(page, name) {
  const input = page.match(new RegExp(`name="${name}" value="([^"]*)"`));
  return input[1].replace(/&#43;/g, '+').replace(/&amp;/g, '&');
}

function signIn(code, phone) {
  const browser = { headers: { Accept: 'text/html,*/*;q=0.8' }, redirects: 0 };
  must(200, http.get(`${target}/reggie/v1/${requestor}/regcode/${code}`, phone));
  must(200, http.get(`${target}/api/v1/config/${requestor}`, phone));
  const first = must(302, http.get(`${target}/api/v1/authenticate?reg_code=${code}&requestor_id=${requestor}`
    + '&mso_id=DemoCable&domain_name=demo.test&noflash=true&no_iframe=true'
    + '&redirect_url=https%3A%2F%2Fdemo.test%2Fdone', browser));
  const second = must(302, http.get(target + first.headers.Location, browser));
  const login = must(200, http.get(target + second.headers.Location, browser)).body;
  sleep(0.4);
  const viewer = {
    csrf_token: field(login, 'csrf_token'), RelayState: field(login, 'RelayState'),
    username: `viewer-${__VU}-${__ITER}`, password: 'secret',
  };
  const done = must(200, http.post(`${target}/mvpd/DemoCable/login`, viewer, browser)).body;
  must(302, http.post(`${target}/sp/saml/SAMLAssertionConsumer`,
    { SAMLResponse: field(done, 'SAMLResponse'), RelayState: field(done, 'RelayState') }, browser));
  must(200, http.get(`${target}/api/v1/checkauthn/${code}?requestor=${requestor}`, phone));
}

export default function () {
  const device = `${requestor}-${__VU}-${__ITER}`;
  const about = `requestor=${requestor}&deviceId=${device}`;
  const tv = register('tv');
  must(403, http.get(`${target}/api/v1/checkauthn?${about}`, tv));
  const code = must(201, http.post(`${target}/reggie/v1/${requestor}/regcode?deviceId=${device}&ttl=60`, null, tv))
    .json().code;
  sleep(0.3);
  const phone = register('phone');
  must(404, http.get(`${target}/api/v1/tokens/authn?${about}`, tv));
  signIn(code, phone);
  must(200, http.get(`${target}/api/v1/tokens/authn?${about}`, tv));
  must(200, http.get(`${target}/api/v1/tokens/usermetadata?${about}`, tv));
  for (const what of ['preauthorize', 'authorize', 'tokens/media']) {
    must(200, http.get(`${target}/api/v1/${what}?${about}&resource=demo-1`, tv));
  }
  if (__ITER % 5 === 0) must(204, http.del(`${target}/api/v1/logout?${about}`, null, tv));
}
