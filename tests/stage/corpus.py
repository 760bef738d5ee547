"""A store of ordinary size: 200 typed memories and 300 messages of a working project, Turkish and English, by formula."""

PARTS = (
    ("deploy script", "dağıtım betiği"), ("staging server", "deneme sunucusu"), ("login form", "giriş formu"), ("invoice export", "fatura dökümü"),
    ("search index", "arama dizini"), ("mail queue", "posta kuyruğu"), ("user table", "kullanıcı tablosu"), ("image cache", "resim önbelleği"),
    ("payment webhook", "ödeme bildirimi"), ("session cookie", "oturum çerezi"), ("test suite", "test takımı"), ("release branch", "sürüm dalı"),
    ("log rotation", "günlük döndürme"), ("feature flag", "özellik bayrağı"), ("backup job", "yedek işi"), ("style guide", "yazım kuralları"),
    ("rate limiter", "hız sınırlayıcı"), ("admin page", "yönetim sayfası"), ("time zone", "saat dilimi"), ("currency field", "para birimi alanı"),
)  # fmt: skip
FACTS = (
    ("{} needs a restart after each change, because it reads its settings once", "{} her değişiklikten sonra yeniden başlatılır, çünkü ayarları bir kez okur"),
    ("never run {} on Friday, since nobody watches it over the weekend", "{} cuma günü asla çalıştırılmaz, çünkü hafta sonu kimse bakmıyor"),
    ("{} is slow with many rows, so ask for pages of fifty", "{} çok satırda yavaş, bu yüzden ellişer istenir"),
    ("we decided to keep {} in Postgres, because the team knows it", "{} için Postgres seçildi, çünkü ekip onu biliyor"),
    ("{} fails without the network, so tests use a stub", "{} ağ olmadan bozulur, bu yüzden testlerde taklidi kullanılır"),
)  # fmt: skip
# One row each that holds words nothing else here holds.
SPECIAL = (
    "Kafka offsets are committed after the write, because a crash in between lost orders",
    "paketler uv ile kurulur, pip ile değil, çünkü kilit dosyasını yalnız uv tutar",
    "the metrics service listens on port 9107, because 9100 is taken by the node exporter",
    "Zeynep onaylamadan şema göçü yapılmaz, çünkü geri dönüşü yok",
    "Ankara'daki müşteri KDV'yi ayrı satırda ister, çünkü muhasebesi öyle çalışıyor",
    "ticket OC-41252 came from a stale DNS entry; flush the resolver first",
    "the parser must stay linear: a lazy regex on unclosed comments took minutes",
    "Redis anahtarları tenant ile başlar, çünkü iki müşteri birbirinin sepetini gördü",
)  # fmt: skip
TALK = (
    ("can you look at {} today?", "bugün {} konusuna bakar mısın?"),
    ("I changed {} and the tests pass now", "{} değişti, testler şimdi geçiyor"),
    ("the error in {} comes back when two users save", "iki kişi kaydedince {} yine hata veriyor"),
    ("please write a short summary of {}", "{} için kısa bir özet yaz lütfen"),
    ("where is the file that sets up {}?", "{} hangi dosyada kuruluyor?"),
    ("{} works, thank you, let us go on with the next one", "{} çalışıyor, teşekkürler, sıradakine geçelim"),
    ("why do we need {} at all?", "{} neden gerekli?"),
)  # fmt: skip


def memories():
    """200 texts and the eight special ones."""
    return [fact[i % 2].format(part[i % 2]) for part in PARTS for fact in FACTS for i in range(2)] + list(SPECIAL)


def messages():
    """Twenty talks of fifteen messages."""
    every = [words[i % 2].format(part[i % 2]) for part in PARTS for words in TALK for i in range(2)]
    every += ["tamam, devam et", "ok, go on", "looks good", "güzel olmuş"] * 5
    return [every[i : i + 15] for i in range(0, 300, 15)]


OFF_TOPIC = (
    "Write a haiku about autumn leaves", "What is the capital of Mongolia?", "Bugün hava nasıl olacak?", "Bana bir fıkra anlat",
    "Translate 'good morning' into Japanese", "Mercimek çorbası tarifi verir misin?", "How do I remove red wine from a carpet?",
    "Who painted the Mona Lisa?", "Dünyanın en yüksek dağı hangisi?", "thanks!", "teşekkürler, eline sağlık", "merhaba", "hello there",
    "ok go on", "tamam devam et", "yes please", "Explain quantum entanglement like I am five", "Fotosentez nedir, kısaca açıkla",
    "Recommend three novels for a long flight", "Kedim yemek yemiyor, ne yapmalıyım?", "What time is it in Lisbon now?",
    "Yarın için doğum günü mesajı yaz", "Plan a birthday party for ten children", "Osmanlı'nın kuruluş yılı kaçtır?",
    "How many calories are in a banana?", "Piyano çalmayı nasıl öğrenirim?", "Give me a good name for a black cat",
    "Haftaya İzmir'e uçak bileti bak", "Is it better to run in the morning or in the evening?", "Bu cümleyi daha güzel yaz: kar yağıyor",
    "What should I cook with leeks and rice?", "En sevdiğin renk ne?", "Summarise the plot of Hamlet", "bir yıldız nasıl ölür?",
    "Write a limerick about a lazy dog", "can you help me with something else?", "başka bir şey soracağım",
)  # fmt: skip
ON_TOPIC = (  # a prompt, and a part of the row that it has to find
    ("when does the Kafka consumer commit?", "Kafka offsets"),
    ("remind me about Kafka", "Kafka offsets"),
    ("paketleri nasıl kuruyoruz?", "uv ile kurulur"),
    ("uv mi pip mi?", "uv ile kurulur"),
    ("which port does the metrics service use?", "port 9107"),
    ("şema göçünü yapayım mı?", "Zeynep"),
    ("Zeynep'e ne soracaktım?", "Zeynep"),
    ("Ankara’nın KDV isteği neydi?", "Ankara'daki"),
    ("what was OC-41252 about?", "OC-41252"),
    ("can the parser use a lazy regex here?", "linear"),
    ("Redis anahtarını nasıl adlandıralım?", "Redis"),
    ("yeni bir redis anahtarı ekle", "Redis"),
    ("how should I handle DNS problems?", "stale DNS"),
    ("restart the payment webhook?", "payment webhook needs a restart"),
    ("fatura dökümü neden yavaş?", "fatura dökümü çok satırda yavaş"),
)  # fmt: skip
