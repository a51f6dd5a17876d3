// Sends pushes over one connection of Node's own HTTP/2 client, all at once.
//
// Reads {"url", "ca", "cert", "key", "requests": [{"headers", "body"}]} from stdin and prints the
// answers, in the order of the requests, as JSON.
import { readFileSync } from "node:fs";
import http2 from "node:http2";

const work = JSON.parse(readFileSync(0, "utf8"));
const session = http2.connect(work.url, { ca: work.ca, cert: work.cert, key: work.key });

function send({ headers, body }) {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let answer = null;
    let text = "";
    stream.setEncoding("utf8");
    stream.on("response", (fields) => (answer = fields));
    stream.on("data", (chunk) => (text += chunk));
    stream.on("end", () => {
      const id = answer["apns-id"];
      resolve({ status: answer[":status"], id, ...(text ? JSON.parse(text) : {}) });
    });
    stream.on("error", reject);
    stream.end(body);
  });
}

await new Promise((resolve, reject) => session.once("connect", resolve).once("error", reject));
const answers = await Promise.all(work.requests.map(send));
session.close();
console.log(JSON.stringify(answers));
