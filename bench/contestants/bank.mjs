import { readFileSync } from 'node:fs';
import https from 'node:https';

/** A plain client of the bank: HTTPS with keep-alive, JSON. An answer other than 200 is an error. */

const { BANK_BASE_URL, BANK_CA_FILE, BANK_TOKEN } = process.env;
// Close idle sockets before the bank does, so that no request meets a closing socket.
const agent = new https.Agent({
  ...{ keepAlive: true, maxSockets: 128, timeout: 4_000 },
  ca: readFileSync(BANK_CA_FILE),
});
const FINAL = new Set(['COMPLETED', 'FAILED']);

/** @returns the status of the movement */
export const create = (order) => post('transfer-request', order);

/** @returns the status of the movement */
export const getMovement = (originId) => post('get-movement', { originId });

export const isFinal = (status) => FINAL.has(status);

function post(service, json) {
  const body = JSON.stringify(json);
  const headers = {
    Authorization: BANK_TOKEN,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  };
  const url = `${BANK_BASE_URL}/v2/apibank/movements/${service}`;
  return new Promise((resolve, reject) => {
    const request = https.request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString()).status);
        else reject(new Error(`${service}: HTTP ${response.statusCode}`));
      });
    });
    request.once('error', reject);
    request.end(body);
  });
}

/** All contestants log this line when they are ready. */
export const ready = () => process.stdout.write('{"msg":"ready"}\n');
