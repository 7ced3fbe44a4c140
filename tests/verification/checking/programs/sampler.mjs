// SGD in JavaScript, over lines of JSON, with arrays in base64.
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const heard = async () => JSON.parse((await lines.next()).value ?? "null");
const read = (text) => {
  const bytes = new Uint8Array(Buffer.from(text, "base64"));
  return new Float64Array(bytes.buffer);
};
const written = (x) => Buffer.from(x.buffer).toString("base64");

say({ sgtheory: 1, arrays: "base64" });
let theta, eps, H, D;
for (let message = await heard(); message; message = await heard()) {
  if (message.do === "start") {
    ({ D } = message);
    ({ eps, H } = message.params);
    theta = read(message.states.theta);
  } else {
    say({ gradient: written(theta) });
    const g = read((await heard()).gradient);
    theta = theta.map((x, k) => {
      const row = k - (k % D);
      let drift = 0;
      for (let j = 0; j < D; j++) drift += H[k % D][j] * g[row + j];
      return x - eps * drift;
    });
  }
  say({ theta: written(theta) });
}
